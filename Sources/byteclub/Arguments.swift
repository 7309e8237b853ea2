import CArguments

/// The arguments of this program, without its name.
enum Arguments {
    /// nil when they cannot be found out: running without them would do something else than was asked.
    static let all: [String]? = read.all

    /// The first one that is not UTF-8, as it can be shown: what it names cannot be named so.
    static let unreadable: String? = read.unreadable

    private static let read: (all: [String]?, unreadable: String?) = {
        guard let words = byteclub_arguments() else {
            let words = CommandLine.arguments
            return (words.isEmpty ? nil : Array(words.dropFirst()), nil)
        }
        var all: [String] = []
        var unreadable: String?
        var place = words
        while let word = place.pointee {
            all.append(String(cString: word))
            if unreadable == nil, String(validatingCString: word) == nil { unreadable = all.last }
            place += 1
        }
        return (Array(all.dropFirst()), unreadable)
    }()

    /// An argument that would be read as several options of one letter, "-h" among them: most likely a name.
    static func misread(in arguments: [String]) -> String? {
        arguments.prefix { $0 != "--" }.first { word in
            word.utf8.count > 2 && word.hasPrefix("-") && !word.hasPrefix("--")
        }
    }
}
