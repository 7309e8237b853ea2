import Foundation
import Glibc
import TestSupport
import Testing

/// A transfer, as `byteclub transfers ls --json` lists it.
struct ListedTransfer: Decodable {
    var id, name, direction, state: String
    var bytes, total: Int64
    var file: String
    var path, reason: String?

    var hasEnded: Bool { ["done", "failed", "cancelled"].contains(state) }
}

/// What is in a transfer's `.status`.
struct WrittenTransfer: Decodable {
    var state: String
    /// In seconds since 2001.
    var nextAttempt: Double?

    var hasEnded: Bool { ["done", "failed", "cancelled"].contains(state) }
    /// Whether it waits for a time at which it is tried again.
    var isRetrying: Bool { state == "waiting" || nextAttempt != nil }
}

extension ClubHome {
    /// The journal of the embedded club's transfers.
    var transfers: URL { folder.appending(path: "state/byteclub/clubs/embedded/transfers") }

    /// - Attention: To list them restarts a carrier that was killed.
    func listTransfers() async throws -> [ListedTransfer] {
        let result = try await run("transfers", "ls", "--json")
        return try JSONDecoder().decode([ListedTransfer].self, from: result.standardOutput)
    }

    /// What the carrier has last written about the latest transfer; nil before it has written anything.
    var writtenTransfer: WrittenTransfer? {
        guard let order = names(in: transfers).last(where: { $0.hasSuffix(".order") }) else {
            return nil
        }
        let status = transfers.appending(path: "\(order.dropLast("order".count))status")
        guard let data = try? Data(contentsOf: status) else { return nil }
        return try? JSONDecoder().decode(WrittenTransfer.self, from: data)
    }

    /// Waits until the latest transfer is done, has failed or was cancelled. One must be carried out.
    func waitForTransferEnd() async throws -> ListedTransfer {
        try await eventually("the transfer's end", in: transfers) {
            writtenTransfer?.hasEnded == true
        }
        let last = try #require(try await listTransfers().last)
        try #require(last.hasEnded, "\(last)")
        return last
    }

    // MARK: - The process

    /// The processes that carry transfers out.
    var carriers: [pid_t] {
        processes.filter {
            let arguments = ProcessTable.arguments(of: $0)
            return arguments.contains("transfers") && arguments.contains("run")
        }
    }

    /// Kills what carries transfers out, and waits until another process can.
    func killCarriers() async throws {
        for process in carriers { kill(process, SIGKILL) }
        // One that was killed may hold its lock for a moment longer than it can be seen.
        try await eventually("nobody carries it") { try carriers.isEmpty && isCarrierLockFree() }
    }

    private func isCarrierLockFree() throws -> Bool {
        let path = transfers.appending(path: "carrier.lock").path
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}
