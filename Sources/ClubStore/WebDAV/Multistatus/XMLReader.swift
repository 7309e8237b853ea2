import CByteClubExpat
import FoundationEssentials

/// Parses untrusted XML incrementally with expat.
///
/// A document type is rejected before anything in it is read, so that no entity is ever
/// declared, let alone expanded; nesting is limited, and so is the size of an incomplete token
/// (a tag, a comment). Only what ``XMLHandler`` stores is in memory.
///
/// Not thread-safe: feed it from one place at a time.
final class XMLReader {
    /// A parse error, for logs.
    struct Fault: Error, Hashable, Sendable {
        var reason: String
    }

    /// More than any WebDAV response needs; members' folders are not nested in the XML.
    static let depthLimit = 64

    private let parser: XML_Parser
    private let handler: any XMLHandler
    private var depth = 0
    /// How many bytes were fed without completing a token.
    private var silentByteCount = 0
    private var hasHeard = false

    /// The maximum size of one tag or comment.
    private static let tokenLimit = 1 << 20
    private var fault: Fault?

    init(_ handler: any XMLHandler) throws(Fault) {
        guard let parser = byteclub_xml_create() else { throw Fault(reason: "no memory") }
        self.parser = parser
        self.handler = handler
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(parser, elementDidBegin, elementDidEnd)
        XML_SetCharacterDataHandler(parser, textDidCome)
        XML_SetCommentHandler(parser, commentDidCome)
        XML_SetProcessingInstructionHandler(parser, instructionDidCome)
        XML_SetStartDoctypeDeclHandler(parser, documentTypeDidBegin)
    }

    deinit {
        XML_ParserFree(parser)
    }

    /// - Throws: For invalid XML, or more than the limits.
    func feed(_ data: Data) throws(Fault) {
        try checkNoFault()
        hasHeard = false
        let isContent = data.withUnsafeBytes { bytes in
            byteclub_xml_feed(parser, bytes.baseAddress, bytes.count, 0) != 0
        }
        if !isContent { try fail() }
        silentByteCount = hasHeard ? 0 : silentByteCount + data.count
        guard silentByteCount <= Self.tokenLimit else {
            fault = Fault(reason: "a tag or comment without end")
            return try checkNoFault()
        }
    }

    /// - Throws: When the document is truncated.
    func finish() throws(Fault) {
        try checkNoFault()
        if byteclub_xml_feed(parser, nil, 0, 1) == 0 { try fail() }
    }

    private func checkNoFault() throws(Fault) {
        if let fault { throw fault }
    }

    private func fail() throws(Fault) {
        let fault =
            self.fault
            ?? Fault(
                reason: String(cString: byteclub_xml_reason(parser))
                    + " in line \(XML_GetCurrentLineNumber(parser))")
        self.fault = fault
        throw fault
    }
}

/// Receives the parts of a document. Names are a namespace, a space and a local name.
protocol XMLHandler: AnyObject {
    func begin(_ name: String) throws(XMLReader.Fault)
    /// Receives some of the text of the innermost element.
    func take(_ text: UnsafeBufferPointer<UInt8>) throws(XMLReader.Fault)
    func end() throws(XMLReader.Fault)
}

// MARK: - What expat tells

extension XMLReader {
    fileprivate static func reader(_ pointer: UnsafeMutableRawPointer?) -> XMLReader? {
        pointer.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Does its work unless there was an error before, and stops the parser on a new one.
    fileprivate func handle(_ work: () throws(Fault) -> Void = {}) {
        hasHeard = true
        guard fault == nil else { return }
        do throws(Fault) {
            try work()
        } catch {
            fault = error
            XML_StopParser(parser, XML_Bool(XML_FALSE))
        }
    }

    fileprivate func begin(_ name: UnsafePointer<CChar>) {
        handle { () throws(Fault) in
            depth += 1
            guard depth <= Self.depthLimit else { throw Fault(reason: "nested too deep") }
            try handler.begin(String(cString: name))
        }
    }

    fileprivate func end() {
        handle { () throws(Fault) in
            depth -= 1
            try handler.end()
        }
    }

    fileprivate func take(_ text: UnsafePointer<CChar>, _ count: CInt) {
        handle { () throws(Fault) in
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
            try handler.take(bytes.assumingMemoryBound(to: UInt8.self))
        }
    }

    fileprivate func refuseDocumentType() {
        handle { () throws(Fault) in throw Fault(reason: "a document type is not taken") }
    }
}

private func elementDidBegin(
    _ user: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
    _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) {
    if let name { XMLReader.reader(user)?.begin(name) }
}

private func elementDidEnd(_ user: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?) {
    XMLReader.reader(user)?.end()
}

private func textDidCome(
    _ user: UnsafeMutableRawPointer?, _ text: UnsafePointer<CChar>?, _ count: CInt
) {
    if let text, count > 0 { XMLReader.reader(user)?.take(text, count) }
}

private func commentDidCome(_ user: UnsafeMutableRawPointer?, _ text: UnsafePointer<CChar>?) {
    XMLReader.reader(user)?.handle()
}

private func instructionDidCome(
    _ user: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ data: UnsafePointer<CChar>?
) {
    XMLReader.reader(user)?.handle()
}

private func documentTypeDidBegin(
    _ user: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
    _ system: UnsafePointer<CChar>?, _ publicName: UnsafePointer<CChar>?, _ hasSubset: CInt
) {
    XMLReader.reader(user)?.refuseDocumentType()
}
