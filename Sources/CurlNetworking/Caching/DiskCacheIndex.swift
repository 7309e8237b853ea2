/// The files in the folder of a cache.
struct DiskCacheIndex: Sendable {
    private struct File: Sendable {
        var byteCount: Int
        var lastUse: Double
    }

    /// By the part of the name that stands for the URL, then by the whole name.
    private var files: [String: [String: File]] = [:]
    private(set) var byteCount = 0

    var names: [String] { files.values.flatMap(\.keys) }

    func names(of key: CacheKey) -> [String] {
        files[key.fileNamePrefix].map { Array($0.keys) } ?? []
    }

    /// The least recently used file of a URL that has more than `count`.
    ///
    /// - Parameter new: The file that has just been published, which stays.
    func surplus(of key: CacheKey, above count: Int, except new: String) -> String? {
        guard let found = files[key.fileNamePrefix], found.count > count else { return nil }
        return found.filter { $0.key != new }.min { $0.value.lastUse < $1.value.lastUse }?.key
    }

    mutating func insert(_ name: String, byteCount: Int, lastUse: Double) {
        remove(name)
        files[CacheKey.prefix(of: name), default: [:]][name] = File(
            byteCount: byteCount, lastUse: lastUse)
        self.byteCount += byteCount
    }

    mutating func touch(_ name: String, at time: Double) {
        files[CacheKey.prefix(of: name)]?[name]?.lastUse = time
    }

    mutating func remove(_ name: String) {
        let prefix = CacheKey.prefix(of: name)
        guard let file = files[prefix]?.removeValue(forKey: name) else { return }
        byteCount -= file.byteCount
        if files[prefix]?.isEmpty == true { files[prefix] = nil }
    }

    /// Returns the same files with the later last use of both: file system timestamps are coarse.
    func refined(by other: DiskCacheIndex) -> DiskCacheIndex {
        var index = self
        for (prefix, found) in files {
            for (name, file) in found {
                guard let known = other.files[prefix]?[name] else { continue }
                index.files[prefix]?[name]?.lastUse = max(file.lastUse, known.lastUse)
            }
        }
        return index
    }

    /// Returns the least recently used files to remove so that `goal` bytes remain; none if there are at most
    /// `limit`.
    func longestUnused(downTo goal: Int, if limit: Int) -> [String] {
        guard byteCount > limit else { return [] }
        var rest = byteCount
        return files.values.joined().sorted { $0.value.lastUse < $1.value.lastUse }
            .prefix { file in
                defer { rest -= file.value.byteCount }
                return rest > goal
            }
            .map(\.key)
    }
}
