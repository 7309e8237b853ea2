/// The replacements of elements without text.
enum HTMLForm {
    static func picture(_ attributes: [String: String]) -> String {
        if let words = attributes["alt"] {
            return words.isEmpty ? "" : "[\(DocumentBuilder.words(words))]"
        }
        // A single pixel is for tracking.
        if attributes["width"] == "1" || attributes["height"] == "1" { return "" }
        return name(ofPictureAt: HTMLPicture.address(attributes) ?? "")
    }

    static func name(ofPictureAt address: String) -> String {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        guard let name = path.split(separator: "/").last else { return "[picture]" }
        return "[\(name.prefix(60))]"
    }

    static func input(_ attributes: [String: String]) -> String {
        let value = DocumentBuilder.words(attributes["value"] ?? "")
        switch attributes["type"]?.lowercased() ?? "text" {
        case "hidden": return ""
        case "submit", "button", "reset": return "[ \(value.isEmpty ? "OK" : value) ]"
        case "checkbox", "radio": return attributes["checked"] == nil ? "[ ] " : "[x] "
        case "image": return picture(attributes)
        case "password": return "[________]"
        default:
            let words =
                value.isEmpty ? DocumentBuilder.words(attributes["placeholder"] ?? "") : value
            return words.isEmpty ? "[________]" : "[\(words)]"
        }
    }
}
