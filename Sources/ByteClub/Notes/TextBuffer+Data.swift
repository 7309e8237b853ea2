internal import FoundationEssentials
internal import TextEditing

extension TextBuffer {
    /// The whole text, byte for byte.
    var data: Data { Data(bytes(in: 0..<count)) }
}
