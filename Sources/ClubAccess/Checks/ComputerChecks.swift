package import FoundationEssentials
internal import Glibc
internal import ByteClubMessages
package import ByteClubPictures

/// The checks of this computer: Byte Club's folders, the free disk space, and the required programs
/// and data.
package enum ComputerChecks {
    /// Each folder, and the files in it that must be private.
    package static func permissions(_ paths: Paths, secrets: [URL]) -> [Diagnostic] {
        let folders = [
            (localized("settings"), paths.configurationFolder),
            (localized("notes and photos"), paths.dataFolder),
            (localized("drafts"), paths.stateFolder),
            (localized("what is kept to start faster"), paths.cacheFolder),
        ]
        var diagnostics = folders.compactMap { what, folder in problem(with: folder, for: what) }
        // The club creates its own folders when they are missing.
        let photos = paths.clubFolder.appending(path: "photos")
        for (what, folder) in [
            (localized("the club"), paths.clubFolder), (localized("the club's photos"), photos),
        ]
        where access(folder.path, F_OK) == 0 || errno == EACCES {
            if let problem = problem(with: folder, for: what) { diagnostics.append(problem) }
        }
        diagnostics += secrets.compactMap(exposure(of:))
        guard diagnostics.isEmpty else { return diagnostics }
        return [
            Diagnostic(
                "permissions", .fine,
                localized("All of Byte Club's folders can be read and written."))
        ]
    }

    /// Nil when the folder is usable, or can be created.
    private static func problem(with folder: URL, for what: String) -> Diagnostic? {
        let subject = "permissions"
        var status = stat()
        guard stat(folder.path, &status) == 0 else {
            guard errno == ENOENT else {
                return Diagnostic(
                    subject, .problem,
                    localized(
                        "The folder for \(what), \(folder.path), cannot be checked: \(reason())."),
                    advice: localized("Check who may enter the folders above it."))
            }
            return unmakable(folder, what)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return Diagnostic(
                subject, .problem,
                localized("\(folder.path), the folder for \(what), is not a folder."),
                advice: localized("Move that file away."))
        }
        guard access(folder.path, R_OK | W_OK | X_OK) == 0 else {
            return Diagnostic(
                subject, .problem,
                localized("The folder for \(what), \(folder.path), cannot be used: \(reason())."),
                advice: status.st_uid == getuid()
                    ? localized("Run: chmod u+rwx \(quoted(folder.path))")
                    : localized(
                        "It belongs to another user. Run: sudo chown -R $USER \(quoted(folder.path))"
                    ))
        }
        return nil
    }

    /// A missing folder needs a writable one above it.
    private static func unmakable(_ folder: URL, _ what: String) -> Diagnostic? {
        var above = folder.deletingLastPathComponent()
        while above.path != "/", access(above.path, F_OK) != 0 {
            above = above.deletingLastPathComponent()
        }
        guard access(above.path, W_OK | X_OK) != 0 else { return nil }
        return Diagnostic(
            "permissions", .problem,
            localized(
                "The folder for \(what), \(folder.path), cannot be made in \(above.path): \(reason())."
            ),
            advice: localized(
                "Let this user write there, or set XDG_*_HOME to a place where that is so."))
    }

    private static func exposure(of file: URL) -> Diagnostic? {
        var status = stat()
        guard lstat(file.path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else {
            return Diagnostic(
                "permissions", .problem,
                localized("\(file.path) should be an ordinary file, but is not."),
                advice: localized("Move it away and sign in again."))
        }
        guard status.st_mode & 0o077 != 0 else { return nil }
        return Diagnostic(
            "permissions", .problem,
            localized("Others on this computer can read the secrets in \(file.path)."),
            advice: localized("Run: chmod 600 \(quoted(file.path))"))
    }

    /// Files of the embedded club that cannot be shown; nil if there are none.
    package static func names(inClub folder: URL) -> Diagnostic? {
        let names = UndecodableNames.find(in: folder)
        guard !names.isEmpty else { return nil }
        let shown = names.prefix(5).map { "“\($0.dropFirst())”" }.joined(separator: localized(", "))
        let rest = names.count > 5 ? localized(" and \(names.count - 5) more") : ""
        return Diagnostic(
            "names", .notice,
            localized(
                "Not shown, because their names in \(folder.path) are not UTF-8: \(shown)\(rest)."),
            advice: localized("Rename them in that folder."))
    }

    /// The free space for each folder that is on a disk of its own.
    package static func disks(of folders: [URL]) -> [Diagnostic] {
        var seen: Set<dev_t> = []
        return folders.compactMap { folder in
            let place = nearest(folder)
            var status = stat()
            guard stat(place.path, &status) == 0, seen.insert(status.st_dev).inserted,
                let free = freeByteCount(at: place)
            else { return nil }
            return disk(freeByteCount: free, folder: folder.path)
        }
    }

    /// The folder, or the nearest one above it that is there.
    private static func nearest(_ folder: URL) -> URL {
        var place = folder
        while access(place.path, F_OK) != 0, place.path != "/" {
            place = place.deletingLastPathComponent()
        }
        return place
    }

    /// The free space where notes and drafts are written.
    static func disk(freeByteCount: Int64, folder: String) -> Diagnostic {
        let subject = "disk"
        let text = localized("\(Wording.byteCount(freeByteCount)) are free for \(folder).")
        switch freeByteCount {
        case ..<(10 << 20):
            return Diagnostic(
                subject, .problem, text,
                advice: localized("Make room: notes and drafts cannot be saved otherwise."))
        case ..<(500 << 20):
            return Diagnostic(
                subject, .notice, text, advice: localized("Make room before adding photos."))
        default:
            return Diagnostic(subject, .fine, text)
        }
    }

    /// The free space on a folder's disk; nil when the system does not report it.
    private static func freeByteCount(at folder: URL) -> Int64? {
        var status = statvfs()
        guard statvfs(folder.path, &status) == 0 else { return nil }
        // Some file systems return -1, which is the largest number here.
        let (bytes, isTooLarge) = UInt64(status.f_bavail)
            .multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isTooLarge ? nil : Int64(clamping: bytes)
    }

    /// How pictures are decoded: in separate processes, and with which of the kernel's protections.
    ///
    /// - Parameter held: Nil if no such process could be started; then why.
    package static func pictures(_ held: PictureProtections?, detail: String? = nil) -> Diagnostic {
        let subject = "pictures"
        guard let held else {
            let reason = detail.map { " (\($0))" } ?? ""
            return Diagnostic(
                subject, .problem,
                localized(
                    "The process that opens pictures could not be started\(reason): no picture is shown."
                ),
                advice:
                    localized(
                        "It is this program once more: see that /proc is mounted, and end some programs."
                    )
            )
        }
        let text =
            localized(
                "Pictures are opened in a separate process, confined by: \(held.names.joined(separator: localized(", ")))."
            )
        let missing = PictureProtections.all.subtracting(held)
        guard !missing.isEmpty else { return Diagnostic(subject, .fine, text) }
        return Diagnostic(
            subject, .notice,
            localized("\(text) Not here: \(missing.names.joined(separator: localized(", ")))."),
            advice: missing.isDisjoint(with: [.seccomp, .landlock])
                ? nil : localized("Landlock requires Linux 5.13 or later."))
    }

    /// The optional picture libraries.
    ///
    /// - Parameter facts: What is installed of a library; nil if nothing is.
    package static func libraries(
        forPictures facts: (PictureLibrary) -> PictureLibrary.Facts?
    ) -> [Diagnostic] {
        PictureLibrary.allCases.map { library in
            let name = library.rawValue
            guard let facts = facts(library) else {
                let kinds = library.formats.map(\.kindName).joined(separator: localized(", "))
                return Diagnostic(
                    "libraries", .notice,
                    localized("\(name) is not installed: these pictures are not shown: \(kinds)."),
                    advice: localized("Run: sudo apt-get install \(library.debianPackage)"),
                    title: name)
            }
            let version = facts.version.isEmpty ? name : "\(name) \(facts.version)"
            let missing = library.formats.filter { !facts.formats.contains($0) }
            guard missing.isEmpty else {
                let kinds = missing.map(\.kindName).joined(separator: localized(", "))
                let packages = missing.compactMap(\.decoderPackage).joined(separator: " ")
                return Diagnostic(
                    "libraries", .notice,
                    localized("\(version) has no decoder for these pictures: \(kinds)."),
                    advice: localized("Run: sudo apt-get install \(packages)"), title: name)
            }
            let kinds = library.formats.map(\.kindName).joined(separator: localized(", "))
            return Diagnostic(
                "libraries", .fine, localized("\(version) opens \(kinds)."), title: name)
        }
    }

    /// - Parameters:
    ///   - network: E.g. `libcurl/7.88.1 OpenSSL/3.0.11`.
    ///   - authorities: The file with the trusted root certificates; nil if none is used.
    package static func libraries(
        network: String, supportsTLS: Bool, authorities: String?
    ) -> [Diagnostic] {
        let subject = "libraries"
        guard supportsTLS else {
            return [
                Diagnostic(
                    subject, .problem,
                    localized("\(network) was built without TLS: only the embedded club works."),
                    advice: localized(
                        "Install the system's own libcurl: sudo apt-get install libcurl4"))
            ]
        }
        if let authorities, access(authorities, R_OK) != 0 {
            return [
                Diagnostic(
                    subject, .problem,
                    localized(
                        "The system's certificate authorities (\(authorities)) are missing: no "
                            + "server can be trusted."
                    ),
                    advice: localized("Run: sudo apt-get install ca-certificates"))
            ]
        }
        // Only what is relevant to the user: libcurl itself and its TLS library.
        return [
            Diagnostic(
                subject, .fine,
                network.split(separator: " ").prefix(2).joined(separator: ", ") + ".",
                title: "libcurl")
        ]
    }

    private static func reason() -> String {
        String(cString: strerror(errno)).lowercased()
    }

    private static func quoted(_ path: String) -> String {
        "'"
            + path.split(separator: "'", omittingEmptySubsequences: false).joined(
                separator: "'\\''") + "'"
    }
}

extension PictureLibrary {
    fileprivate var debianPackage: String {
        switch self {
        case .libwebp: "libwebp7"
        case .libheif: "libheif1"
        case .libtiff: "libtiff6"
        case .libstb: "libstb0"
        }
    }
}

extension FileFormat {
    /// The usual file extension in capitals.
    fileprivate var kindName: String {
        switch self {
        case .heic: "HEIC"
        case .avif: "AVIF"
        case .tiff: "TIFF"
        case .gif: "GIF"
        case .bitmap: "BMP"
        case .pnm: "PNM"
        default: "WebP"
        }
    }

    /// From Debian 13 on, each of libheif's decoders is a package of its own.
    fileprivate var decoderPackage: String? {
        switch self {
        case .heic: "libheif-plugin-libde265"
        case .avif: "libheif-plugin-dav1d"
        default: nil
        }
    }
}
