import CByteClubArguments

/// The arguments of this program, without its name.
enum Arguments {
    /// nil if they cannot be read: running without them would do something else.
    static let all: [String]? = read.all

    /// The first argument that is not UTF-8, in displayable form: it cannot name anything.
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

    /// An argument that would be parsed as several one-letter options, including "-h": it is most likely a
    /// name.
    static func misread(in arguments: [String]) -> String? {
        arguments.prefix { $0 != "--" }.first { word in
            word.utf8.count > 2 && word.hasPrefix("-") && !word.hasPrefix("--")
        }
    }
}
