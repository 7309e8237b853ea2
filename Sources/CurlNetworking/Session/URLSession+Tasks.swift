import FoundationEssentials

// The creation of tasks, for all methods of a session.

extension URLSession {
    func dataTask(
        _ request: URLRequest, for receiver: TaskReceiver,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionDataTask {
        register { identifier in
            URLSessionDataTask(
                session: self, identifier: identifier, request: request,
                source: BodySource(of: request), receiver: receiver,
                delegate: delegate)
        }
    }

    func uploadTask(
        _ request: URLRequest, _ source: BodySource, for receiver: TaskReceiver,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionUploadTask {
        register { identifier in
            URLSessionUploadTask(
                session: self, identifier: identifier, request: request, source: source,
                receiver: receiver, delegate: delegate)
        }
    }

    func downloadTask(
        _ request: URLRequest, for receiver: TaskReceiver,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionDownloadTask {
        register { identifier in
            URLSessionDownloadTask(
                session: self, identifier: identifier, request: request,
                source: BodySource(of: request), receiver: receiver,
                delegate: delegate)
        }
    }
}
