/// One `PUT` directly to the file.
struct DirectUploadStrategy: WebDAVUploadStrategy {
    let payload: WebDAVPayload

    var isDirect: Bool { true }

    init(_ payload: WebDAVPayload) {
        self.payload = payload
    }

    func commit(_ condition: WriteCondition) async throws(StoreError) -> EntityTag? {
        let url = payload.store.address.url(of: payload.path)
        var request = WebDAVRequest("PUT", url)
        request.fields["Content-Type"] = "application/octet-stream"
        switch condition {
        case .none: break
        case .absent: request.fields["If-None-Match"] = "*"
        case .matches(let revision): request.fields["If-Match"] = revision.rawValue
        case .matchesByIf(let revision): request.fields["If"] = "<\(url)> ([\(revision.rawValue)])"
        case .locked(let token): request.fields["If"] = "(<\(token)>)"
        }
        let answer = try await payload.send(request)
        try payload.requireUnchanged()
        return answer.entityTag
    }
}
