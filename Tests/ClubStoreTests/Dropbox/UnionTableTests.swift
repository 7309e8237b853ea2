import ClubStore
import Foundation
import TestSupport
import Testing

/// Every error that the API's documentation names, on every call: what comes out of it.
@Suite struct UnionTableTests {
    private static let lookup: [(String, StoreError.Code)] = [
        (#"{".tag":"malformed_path","malformed_path":"x"}"#, .nameNotAllowed),
        (#"{".tag":"not_found"}"#, .notFound), (#"{".tag":"not_file"}"#, .wrongKind),
        (#"{".tag":"not_folder"}"#, .wrongKind),
        (#"{".tag":"restricted_content"}"#, .forbidden),
        (#"{".tag":"unsupported_content_type"}"#, .noThumbnail),
        (#"{".tag":"locked"}"#, .locked), (#"{".tag":"from_the_future"}"#, .badRequest),
    ]

    private static let conflict = StoreError.Code.conflict(serverRevision: nil)

    private static let write: [(String, StoreError.Code)] = [
        (#"{".tag":"malformed_path"}"#, .nameNotAllowed),
        (#"{".tag":"conflict","conflict":{".tag":"file"}}"#, conflict),
        (#"{".tag":"conflict","conflict":{".tag":"folder"}}"#, conflict),
        (#"{".tag":"conflict","conflict":{".tag":"file_ancestor"}}"#, conflict),
        (#"{".tag":"no_write_permission"}"#, .forbidden),
        (#"{".tag":"insufficient_space"}"#, .overQuota),
        (#"{".tag":"disallowed_name"}"#, .nameNotAllowed),
        (#"{".tag":"team_folder"}"#, .forbidden),
        (#"{".tag":"operation_suppressed"}"#, .forbidden),
        (#"{".tag":"too_many_write_operations"}"#, .rateLimited(retryAfter: nil)),
        (#"{".tag":"access_restricted"}"#, .forbidden),
    ]

    private static let bare: [(String, StoreError.Code)] = [
        ("reset", .cursorReset), ("template_error", .badRequest), ("unsupported_file", .wrongKind),
        ("payload_too_large", .tooLarge), ("content_hash_mismatch", .damaged),
        ("properties_error", .badRequest), ("invalid_argument", .badRequest),
        ("internal_error", .serverError), ("unsupported_extension", .noThumbnail),
        ("unsupported_image", .noThumbnail), ("encrypted_content", .noThumbnail),
        ("conversion_error", .noThumbnail), ("access_denied", .forbidden),
        ("cant_copy_shared_folder", .forbidden), ("cant_nest_shared_folder", .forbidden),
        ("cant_move_folder_into_itself", .nameNotAllowed), ("too_many_files", .tooLarge),
        ("duplicated_or_nested_paths", .nameNotAllowed), ("cant_transfer_ownership", .forbidden),
        ("insufficient_quota", .overQuota), ("cant_move_shared_folder", .forbidden),
        ("cant_move_into_vault", .forbidden), ("in_progress", .serverUnavailable(retryAfter: nil)),
        ("too_many_write_operations", .rateLimited(retryAfter: nil)), ("other", .badRequest),
    ]

    private static var unions: [(String, StoreError.Code)] {
        let nested = ["path", "path_lookup", "from_lookup"].flatMap { name in
            lookup.map { (#"{".tag":"\#(name)","\#(name)":\#($0.0)}"#, $0.1) }
        }
        let written = ["path_write", "from_write", "to"].flatMap { name in
            write.map { (#"{".tag":"\#(name)","\#(name)":\#($0.0)}"#, $0.1) }
        }
        let uploaded = write.map {
            (#"{".tag":"path","reason":\#($0.0),"upload_session_id":"s"}"#, $0.1)
        }
        return nested + written + uploaded + bare.map { (#"{".tag":"\#($0.0)"}"#, $0.1) }
    }

    @Test(arguments: StoreCall.all)
    func eachErrorMeansTheSameToACall(_ call: StoreCall) async throws {
        for (union, usual) in Self.unions {
            let dropbox = try ScriptedDropbox([.refusal(union)])
            let expected: StoreError.Code =
                switch (usual, call.operation) {
                case (.notFound, .changes), (.notFound, .waitForChanges): .cursorReset
                case (.notFound, .account): .badAnswer
                // Begun anew in vain.
                case (.cursorReset, .list): .serverUnavailable(retryAfter: nil)
                default: usual
                }
            await call.expectFailure(
                expected, of: dropbox.store, Cursor(rawValue: "c"), "on \(union)")
        }
    }
}
