import ClubStore
import Foundation
import TestSupport
import Testing

/// The result of every documented error, for every call.
@Suite struct UnionTableTests {
    private static let lookup: [(String, StoreError.Code)] = [
        (#"{".tag":"malformed_path","malformed_path":"x"}"#, .nameNotAllowed),
        (#"{".tag":"not_found"}"#, .notFound), (#"{".tag":"not_file"}"#, .wrongKind),
        (#"{".tag":"not_folder"}"#, .wrongKind),
        (#"{".tag":"restricted_content"}"#, .forbidden),
        (#"{".tag":"unsupported_content_type"}"#, .noThumbnail),
        (#"{".tag":"locked"}"#, .locked), (#"{".tag":"from_the_future"}"#, .refused),
    ]

    private static let conflict = StoreError.Code.conflict(serverRevision: nil)

    /// The write errors of a path.
    static let write: [(String, StoreError.Code)] = [
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
        ("payload_too_large", .tooLarge), ("too_large", .tooLarge), ("too_many_files", .tooLarge),
        ("content_hash_mismatch", .damaged), ("encryption_not_supported", .badRequest),
        ("properties_error", .badRequest), ("invalid_argument", .badRequest),
        ("internal_error", .serverError), ("unsupported_extension", .noThumbnail),
        ("unsupported_image", .noThumbnail), ("encrypted_content", .noThumbnail),
        ("conversion_error", .noThumbnail), ("access_denied", .forbidden), ("not_found", .notFound),
        ("cant_copy_shared_folder", .forbidden), ("cant_nest_shared_folder", .forbidden),
        ("cant_move_folder_into_itself", .nameNotAllowed),
        ("duplicated_or_nested_paths", .nameNotAllowed), ("cant_transfer_ownership", .forbidden),
        ("insufficient_quota", .overQuota), ("cant_move_shared_folder", .forbidden),
        ("in_progress", .serverUnavailable(retryAfter: nil)), ("invalid_revision", .badRequest),
        ("invalid_before_rev", .badRequest), ("before_rev_not_supported", .badRequest),
        ("too_many_write_operations", .rateLimited(retryAfter: nil)), ("other", .refused),
    ]

    /// Errors with nested values.
    private static let others: [(String, StoreError.Code)] = [
        (
            #"{".tag":"cant_move_into_vault","cant_move_into_vault":{".tag":"is_shared_folder"}}"#,
            .forbidden
        ),
        (
            #"{".tag":"cant_move_into_family","cant_move_into_family":{".tag":"is_shared_folder"}}"#,
            .forbidden
        ),
        (#"{".tag":"invalid_argument","invalid_argument":"the query is empty"}"#, .badRequest),
        (
            #"{".tag":"template_error","template_error":{".tag":"template_not_found"}}"#,
            .badRequest
        ),
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
        return nested + written + uploaded + others
            + bare.map { (#"{".tag":"\#($0.0)"}"#, $0.1) }
    }

    @Test(arguments: StoreCall.all)
    func eachErrorMeansTheSameToACall(_ call: StoreCall) async throws {
        for (union, usual) in Self.unions {
            let dropbox = try ScriptedDropbox([.refusal(union)])
            let expected: StoreError.Code =
                switch (usual, call.operation) {
                case (.notFound, .changes), (.notFound, .waitForChanges): .cursorReset
                case (.notFound, .account): .badAnswer
                // The embedded club: there is something in the folder that is not listed.
                case (.conflict, .delete) where union.contains(#""conflict":{".tag":"folder"}"#):
                    .notEmpty
                // Listing again did not help.
                case (.cursorReset, .list): .serverUnavailable(retryAfter: nil)
                default: usual
                }
            await call.expectFailure(
                expected, of: dropbox.store, Cursor(rawValue: "c"), "on \(union)")
        }
    }

    /// Unions with other statuses, the same for every route.
    @Test(arguments: StoreCall.all)
    func eachRefusalOfTheCallerMeansTheSameToACall(_ call: StoreCall) async throws {
        let refusals: [(status: String, tag: String, code: StoreError.Code)] = [
            ("401 Unauthorized", "invalid_access_token", .unauthorized),
            ("401 Unauthorized", "expired_access_token", .unauthorized),
            ("401 Unauthorized", "missing_scope", .unauthorized),
            ("401 Unauthorized", "invalid_select_user", .unauthorized),
            ("401 Unauthorized", "invalid_select_admin", .unauthorized),
            ("401 Unauthorized", "user_suspended", .forbidden),
            ("401 Unauthorized", "route_access_denied", .forbidden),
            ("401 Unauthorized", "from_the_future", .unauthorized),
            ("403 Forbidden", "invalid_account_type", .forbidden),
            ("403 Forbidden", "paper_access_denied", .forbidden),
            ("403 Forbidden", "team_access_denied", .forbidden),
            ("403 Forbidden", "no_permission", .forbidden),
        ]
        for (status, tag, code) in refusals {
            let dropbox = try ScriptedDropbox([.refusal(#"{".tag":"\#(tag)"}"#, status: status)])
            await call.expectFailure(
                code, of: dropbox.store, Cursor(rawValue: "c"), "on \(status) \(tag)")
        }
        for reason in ["too_many_requests", "too_many_write_operations"] {
            let dropbox = try ScriptedDropbox([
                .refusal(
                    #"{"reason":{".tag":"\#(reason)"},"retry_after":3600}"#,
                    status: "429 Too Many Requests")
            ])
            let error = await call.failure(of: dropbox.store, Cursor(rawValue: "c"))
            #expect(error?.code == .rateLimited(retryAfter: .seconds(3600)), "\(reason)")
        }
    }
}
