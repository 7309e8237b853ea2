import DropboxAPI

extension ClubAPI {
    func addFileOperationRoutes(to router: inout Router) {
        router.on(Routes.createFolder) { argument, _ in
            let made = try await change {
                () async throws(ChangeFailure<WriteError>) in
                try await club.createFolder(argument.path, autorename: argument.autorename)
            } refusal: {
                CreateFolderError.path($0)
            }
            try flush(made.changedFolders)
            return CreateFolderResult(metadata: made.metadata)
        }
        router.on(Routes.delete) { argument, _ in
            let changed = try await change {
                () async throws(ChangeFailure<DeleteError>) in
                try await club.delete(argument.path, parentRevision: argument.parentRevision)
            } refusal: {
                $0
            }
            try finish(changed)
            return DeleteResult(metadata: changed.metadata)
        }
        router.on(Routes.move) { argument, _ in
            let changed = try await change {
                () async throws(ChangeFailure<RelocationError>) in
                try await club.move(argument)
            } refusal: {
                $0
            }
            try finish(changed)
            return RelocationResult(metadata: changed.metadata)
        }
        router.on(Routes.copy) { argument, _ in
            RelocationResult(metadata: try await copy(argument))
        }
    }

    private func finish(_ changed: ClubFolder.Changed) throws(SystemError) {
        if changed.keptRevisions { try club.revisions?.flush() }
        try flush(changed.changedFolders)
        if let discarded = changed.discarded { club.access.discard(staged: discarded) }
    }

    private func copy(_ argument: RelocationArg) async throws -> Metadata {
        try await change { () async throws(ChangeFailure<RelocationError>) in
            var source = try await club.copySource(argument)
            source.entry = await hash(source.entry) ?? source.entry
            let copied: Set<FileSignature>
            let staged = "copy-" + RandomText.hexadecimal(byteCount: 8)
            do throws(SystemError) {
                do throws(SystemError) {
                    copied = try TreeCopy.copy(
                        source.diskNames, isFolder: source.entry.isFolder, in: club.access,
                        to: staged)
                } catch {
                    guard error.isOutOfSpace,
                        await club.revisions?.makeRoom(for: club.byteCount(of: source.entry))
                            == .made
                    else { throw error }
                    copied = try TreeCopy.copy(
                        source.diskNames, isFolder: source.entry.isFolder, in: club.access,
                        to: staged)
                }
            } catch {
                if error.isOutOfSpace { throw .refused(.insufficientQuota) }
                if error.isMissing { throw .refused(.fromLookup(.notFound)) }
                throw .disk(error)
            }
            do throws(ChangeFailure<RelocationError>) {
                let changed = try await club.finishCopy(
                    staged: staged, of: source, copied: copied, argument)
                do throws(SystemError) { try finish(changed) } catch { throw .disk(error) }
                return changed.metadata
            } catch {
                club.access.discard(staged: staged)
                throw error
            }
        } refusal: {
            $0
        }
    }
}
