import DropboxAPI

/// The club behind the API's routes.
struct ClubAPI: Sendable {
    let club: ClubFolder
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

    /// Makes changed folders durable, after the change and outside the actor.
    func flush(_ folders: [[String]]) throws(SystemError) {
        for names in Set(folders) {
            do throws(SystemError) {
                let folder = try club.access.folder(names)
                try club.access.flush(folder: folder.number)
            } catch {
                // A folder removed in the meantime needs nothing.
                if !error.isMissing { throw error }
            }
        }
    }

    /// Runs a change to the folder and converts its failure to the route's error.
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
