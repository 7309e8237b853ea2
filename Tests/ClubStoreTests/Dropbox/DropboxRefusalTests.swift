import Foundation
import Testing

@testable import ClubStore

@Suite struct DropboxRefusalTests {
    private func refusal(
        _ status: Int, _ body: String, retryAfter: String? = nil
    ) -> DropboxRefusal {
        DropboxRefusal(
            status: status, body: Data(body.utf8), retryAfter: retryAfter,
            now: Date(timeIntervalSince1970: 0))
    }

    @Test(arguments: [
        (#"{".tag":"path","path":{".tag":"not_found"}}"#, StoreError.Code.notFound),
        (#"{".tag":"path","path":{".tag":"not_file"}}"#, .wrongKind),
        (#"{".tag":"path","path":{".tag":"not_folder"}}"#, .wrongKind),
        (
            #"{".tag":"path","path":{".tag":"malformed_path","malformed_path":null}}"#,
            .nameNotAllowed
        ),
        (#"{".tag":"path","path":{".tag":"restricted_content"}}"#, .forbidden),
        (
            #"{".tag":"path","reason":{".tag":"conflict","conflict":{".tag":"file"}},"upload_session_id":"x"}"#,
            .conflict(serverRevision: nil)
        ),
        (#"{".tag":"path","reason":{".tag":"insufficient_space"}}"#, .overQuota),
        (#"{".tag":"path","reason":{".tag":"disallowed_name"}}"#, .nameNotAllowed),
        (#"{".tag":"path","reason":{".tag":"no_write_permission"}}"#, .forbidden),
        (
            #"{".tag":"path","reason":{".tag":"too_many_write_operations"}}"#,
            .rateLimited(retryAfter: nil)
        ),
        (
            #"{".tag":"to","to":{".tag":"conflict","conflict":"folder"}}"#,
            .conflict(serverRevision: nil)
        ),
        (#"{".tag":"insufficient_quota"}"#, .overQuota),
        (#"{".tag":"cant_move_folder_into_itself"}"#, .nameNotAllowed),
        (#"{".tag":"path_lookup","path_lookup":{".tag":"not_found"}}"#, .notFound),
        (#"{".tag":"reset"}"#, .cursorReset),
        (#""reset""#, .cursorReset),
        (#"{".tag":"payload_too_large"}"#, .tooLarge),
        (#"{".tag":"content_hash_mismatch"}"#, .damaged),
        (#"{".tag":"unsupported_extension"}"#, .noThumbnail),
        (#"{".tag":"conversion_error"}"#, .noThumbnail),
        (#"{".tag":"internal_error"}"#, .serverError),
        (#"{".tag":"something_new","something_new":{".tag":"from_the_future"}}"#, .refused),
    ])
    func readsUnions(_ union: String, _ code: StoreError.Code) {
        let body = #"{"error_summary":"words/..","error":\#(union)}"#
        #expect(refusal(409, body).error(during: .put, at: nil).code == code)
    }

    @Test(arguments: [
        "", "<html><body>Sign in to the airport</body></html>", "{", "null", "[]", "{\"error\":7}",
        "{\"error\":{}}", "{\"error\":{\".tag\":[]}}", String(repeating: "[", count: 100_000),
    ])
    func aConflictOfAnotherFormIsABadAnswer(_ body: String) {
        #expect(refusal(409, body).code == .badAnswer)
    }

    @Test(arguments: [
        #"{"locale":"en","text":"The folder is on holiday."}"#, #""The folder is on holiday.""#,
    ])
    func theServersWordsForPeopleAreKept(_ message: String) {
        let error = refusal(
            409,
            #"{"error_summary":"other/.","error":{".tag":"other"},"user_message":\#(message)}"#
        ).error(during: .put, at: nil)
        #expect(error.code == .refused)
        #expect(error.userMessage == "The folder is on holiday.")
    }

    @Test func aPermissionThatIsMissingIsNamed() {
        let error = refusal(
            401,
            #"{"error_summary":"missing_scope/..","error":{".tag":"missing_scope","required_scope":"files.content.write"}}"#
        ).error(during: .put, at: nil)
        #expect(error.missingScope == "files.content.write")
        #expect(error.detail?.contains("files.content.write") == true)
    }

    @Test func knowsWhatToDoAboutATokenByItsTag() {
        let expired = refusal(
            401, #"{"error":{".tag":"expired_access_token"},"error_summary":"x"}"#)
        #expect(expired.isExpiredToken && expired.isUselessToken)
        let invalid = refusal(
            401, #"{"error":{".tag":"invalid_access_token"},"error_summary":"x"}"#)
        #expect(!invalid.isExpiredToken && invalid.isUselessToken)
        let scope = refusal(
            401, #"{"error":{".tag":"missing_scope","required_scope":"files.content.read"}}"#)
        #expect(!scope.isUselessToken)
        #expect(scope.code == .unauthorized)
        #expect(refusal(401, #"{"error":{".tag":"user_suspended"}}"#).code == .forbidden)
        #expect(refusal(401, "Unauthorized").isUselessToken)
    }

    @Test func findsTheWaitInHeaderAndBody() {
        let body =
            #"{"error_summary":"x","error":{"reason":{".tag":"too_many_requests"},"retry_after":9}}"#
        #expect(refusal(429, body).retryAfter == .seconds(9))
        #expect(refusal(429, body, retryAfter: "4").retryAfter == .seconds(4))
        #expect(
            refusal(429, "slow down", retryAfter: "4").code == .rateLimited(retryAfter: .seconds(4))
        )
    }

    @Test func findsWhereASessionGoesOn() {
        let append = refusal(
            409, #"{"error":{".tag":"incorrect_offset","correct_offset":4194304}}"#)
        #expect(append.correctOffset == 4_194_304)
        let finish = refusal(
            409,
            #"{"error":{".tag":"lookup_failed","lookup_failed":{".tag":"incorrect_offset","correct_offset":7}}}"#
        )
        #expect(finish.correctOffset == 7)
    }

    @Test func aWriteThatMustWaitIsRepeatedLikeATooManyRequests() {
        let body = #"{"error":{".tag":"too_many_write_operations"},"error_summary":"x"}"#
        #expect(refusal(409, body, retryAfter: "3").failure == .busy(retryAfter: .seconds(3)))
        #expect(
            refusal(409, #"{"error":{".tag":"reset"}}"#).failure == .status(409, retryAfter: nil))
    }

    @Test func aCursorThatIsNoneAsksForANewListing() {
        let words =
            #"Error in call to API function "files/list_folder/continue": Invalid "cursor" parameter"#
        #expect(refusal(400, words).error(during: .changes, at: nil).code == .cursorReset)
        #expect(refusal(400, words).error(during: .list, at: nil).code == .badRequest)
        #expect(refusal(400, "other").error(during: .changes, at: nil).code == .badRequest)
    }

    @Test func keepsNoMoreThanTheBeginningOfWhatTheServerSays() {
        let long = String(repeating: "x", count: 1 << 20)
        #expect(refusal(500, long).words.count == 300)
    }
}
