import DropboxAPI

/// The club as the API's routes see it.
struct ClubAPI: Sendable {
    let club: Club
    let sessions: UploadSessions
    let thumbnails: ThumbnailMaker
    let account: FullAccount

    func addRoutes(to router: inout Router) {
        addAccountRoutes(to: &router)
        addListingRoutes(to: &router)
        addDownloadRoutes(to: &router)
        addUploadRoutes(to: &router)
        addFileOperationRoutes(to: &router)
        addRevisionRoutes(to: &router)
        addSearchRoutes(to: &router)
        addThumbnailRoutes(to: &router)
    }

    /// Makes changes of folders durable, after they happened and outside of the club's turn.
    func flush(_ folders: [[String]]) throws(SystemError) {
        for names in Set(folders) {
            do throws(SystemError) {
                let folder = try club.access.folder(names)
                try club.access.flush(folder: folder.number)
            } catch {
                // A folder that was removed meanwhile needs nothing.
                if !error.isMissing { throw error }
            }
        }
    }

    /// Runs a change of the folder and words its failure as the route does.
    func change<Result, Failure: RouteError, Answer: RouteError>(
        _ body: () async throws(ChangeFailure<Failure>) -> Result,
        refusal: (Failure) -> Answer
    ) async throws -> Result {
        do throws(ChangeFailure<Failure>) {
            return try await body()
        } catch {
            switch error {
            case .refused(let failure): throw refusal(failure)
            case .disk(let error): throw error
            }
        }
    }
}
