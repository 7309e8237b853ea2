import CArguments

/// The arguments of this program, without its name.
enum Arguments {
    /// nil when they cannot be found out: running without them would do something else than was asked.
    static let all: [String]? = {
        guard let words = byteclub_arguments() else {
            let words = CommandLine.arguments
            return words.isEmpty ? nil : Array(words.dropFirst())
        }
        var all: [String] = []
        var place = words
        while let word = place.pointee {
            all.append(String(cString: word))
            place += 1
        }
        return Array(all.dropFirst())
    }()
    /// An argument that would be read as several options of one letter, "-h" among them: most likely a name.
    static func misread(in arguments: [String]) -> String? {
        arguments.prefix { $0 != "--" }.first { word in
            word.utf8.count > 2 && word.hasPrefix("-") && !word.hasPrefix("--")
        }
    }
}
