@testable import CurlNetworking

/// An entry point for a fuzzer: it takes any bytes, and must neither trap nor hang.
package enum NetworkFuzzing {
    /// What comes over the system's message bus.
    package static func busMessage(_ bytes: UnsafeRawBufferPointer) {
        let message = Array(bytes)
        let count = DBusMessage.byteCount(of: Array(message.prefix(DBusMessage.headByteCount)))
        guard let reply = DBusMessage.reply(message) else { return }
        precondition(count == message.count && reply.body.count < message.count)
        _ = reply.number
    }
}
