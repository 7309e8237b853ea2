import CurlNetworking
import FoundationEssentials

/// The relevant parts of a WebDAV 207 response.
///
/// Source: RFC 4918 §13 and §14, RFC 4331 (quota), RFC 6578 §4 (sync-token).
struct Multistatus: Hashable, Sendable {
    var responses: [Response] = []

    /// The time of the response, by the server's clock.
    var date: Date?

    /// The sync token up to which it reports changes (RFC 6578).
    var syncToken: String?

    /// The part about one resource.
    struct Response: Hashable, Sendable {
        /// As the server wrote it: absolute or relative, with its own escaping.
        var href = ""

        /// Of the whole resource, if the server reports that instead of properties.
        var status: Int?

        var properties = Properties()
    }

    /// The properties that a club needs, from the propstats with a 2xx status.
    struct Properties: Hashable, Sendable {
        var etag: String?
        var byteCount: Int64?
        var modified: Date?
        var isCollection = false
        var quotaAvailable: Int64?
        var quotaUsed: Int64?
        /// The URL in `current-user-principal`.
        var principal: String?
        var displayName: String?
        var syncToken: String?
        /// The file ID of Nextcloud and ownCloud.
        var fileID: String?
        /// Whether Nextcloud can make a preview.
        var hasPreview: Bool?
        /// The size of a photo in pixels, which Nextcloud has read.
        var fullSize: FullSizeComment?
        /// Where a file in Nextcloud's trash was, from the top of the user's files down.
        var originalLocation: String?
        /// When it was deleted.
        var deleted: Date?
    }
}

/// Builds a ``Multistatus`` while its XML is parsed.
///
/// Elements are matched by namespace and name, not by prefix; other elements and their text
/// are never stored.
final class MultistatusBuilder: XMLHandler {
    var result = Multistatus()

    private var stack: [Element] = []
    private var text: [UInt8] = []
    private var response = Multistatus.Response()
    private var properties = Multistatus.Properties()
    private var propstatStatus: Int?
    /// Of the photo whose property is read.
    private var sides: (width: Int?, height: Int?)

    /// URLs and tags are a few hundred bytes.
    static let textLimit = 32 << 10

    /// No club has more in one folder.
    static let responseLimit = 200_000

    private enum Element: String {
        case multistatus, response, href, propstat, prop, status, resourcetype, collection,
            displayname, getetag, getcontentlength, getlastmodified
        case quotaAvailable = "quota-available-bytes"
        case quotaUsed = "quota-used-bytes"
        case principal = "current-user-principal"
        case syncToken = "sync-token"
        case fileID, hasPreview, photoSize, width, height, originalLocation, deletionTime
        case other

        init(_ name: String) {
            if name.hasPrefix("DAV: ") {
                self = Element(rawValue: String(name.dropFirst(5))) ?? .other
            } else {
                self =
                    switch name {
                    case "http://owncloud.org/ns fileid": .fileID
                    case "http://nextcloud.org/ns has-preview": .hasPreview
                    case "http://nextcloud.org/ns metadata-photos-size",
                        "http://nextcloud.org/ns file-metadata-size":
                        .photoSize
                    case "http://nextcloud.org/ns trashbin-original-location": .originalLocation
                    case "http://nextcloud.org/ns trashbin-deletion-time": .deletionTime
                    // In Nextcloud's namespace, or in none.
                    case "http://nextcloud.org/ns width", "width": .width
                    case "http://nextcloud.org/ns height", "height": .height
                    default: .other
                    }
            }
        }

        var hasText: Bool {
            switch self {
            case .multistatus, .response, .propstat, .prop, .resourcetype, .collection, .principal,
                .other:
                false
            default: true
            }
        }
    }

    func begin(_ name: String) throws(XMLReader.Fault) {
        let element = Element(name)
        guard !stack.isEmpty || element == .multistatus else {
            throw XMLReader.Fault(reason: "\(name.prefix(80)) is not a multistatus")
        }
        stack.append(element)
        text.removeAll(keepingCapacity: true)
        switch element {
        case .response where stack.count == 2:
            response = Multistatus.Response()
        case .propstat where stack.count == 3:
            properties = response.properties
            propstatStatus = nil
        case .photoSize: sides = (nil, nil)
        default: break
        }
    }

    func take(_ bytes: UnsafeBufferPointer<UInt8>) throws(XMLReader.Fault) {
        guard stack.last?.hasText == true else { return }
        guard text.count + bytes.count <= Self.textLimit else {
            throw XMLReader.Fault(reason: "a text of more than \(Self.textLimit) bytes")
        }
        text += bytes
    }

    func end() throws(XMLReader.Fault) {
        let parent = stack.dropLast().last
        switch (parent, stack.last) {
        case (.multistatus, .response):
            try addResponse()
        case (.multistatus, .syncToken):
            result.syncToken = value
        case (.response, .href) where response.href.isEmpty:
            response.href = value
        case (.response, .status):
            response.status = Self.status(value)
        case (.response, .propstat):
            if propstatStatus.map({ (200..<300).contains($0) }) ?? true {
                response.properties = properties
            }
        case (.propstat, .status):
            propstatStatus = Self.status(value)
        case (.resourcetype, .collection):
            properties.isCollection = true
        case (.principal, .href):
            properties.principal = value
        case (.photoSize, .width): sides.width = Int(value)
        case (.photoSize, .height): sides.height = Int(value)
        case (.prop, .photoSize): setPhotoSize()
        case (.prop, let element?):
            setProperty(element)
        default: break
        }
        stack.removeLast()
        text.removeAll(keepingCapacity: true)
    }
}

extension MultistatusBuilder {
    private var value: String {
        var bytes = text[...]
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        while bytes.first.map(isBlank) == true { bytes.removeFirst() }
        while bytes.last.map(isBlank) == true { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func addResponse() throws(XMLReader.Fault) {
        guard result.responses.count < Self.responseLimit else {
            throw XMLReader.Fault(reason: "more than \(Self.responseLimit) entries")
        }
        result.responses.append(response)
    }

    private func setProperty(_ element: Element) {
        switch element {
        case .getetag: properties.etag = value
        case .getcontentlength: properties.byteCount = Int64(value)
        case .getlastmodified: properties.modified = HTTPDate.parseLeniently(value)
        case .quotaAvailable: properties.quotaAvailable = Int64(value)
        case .quotaUsed: properties.quotaUsed = Int64(value)
        case .displayname: properties.displayName = value
        case .syncToken: properties.syncToken = value
        case .fileID: properties.fileID = value
        case .hasPreview: properties.hasPreview = value == "true" || value == "1"
        case .originalLocation: properties.originalLocation = value
        case .deletionTime:
            properties.deleted = Int32(value).map { Date(timeIntervalSince1970: Double($0)) }
        default: break
        }
    }

    /// From elements, or from JSON: `{"width":4000,"height":3000}`.
    private func setPhotoSize() {
        struct Sides: Decodable { var width, height: Int }
        if let sides = try? JSONDecoder().decode(Sides.self, from: Data(text)) {
            self.sides = (sides.width, sides.height)
        }
        guard let width = sides.width, let height = sides.height else { return }
        properties.fullSize =
            FullSizeComment(width: width, height: height) ?? properties.fullSize
    }

    /// `HTTP/1.1 200 OK`.
    private static func status(_ line: String) -> Int? {
        let words = line.split(separator: " ")
        return words.count >= 2 ? Int(words[1]) : nil
    }
}
