import FoundationEssentials

// The completion of a task: on disk before it is reported; and its cancellation.

extension BackgroundHelper {
    func finish(_ transfer: HelperTransfer) {
        guard let response = transfer.attempt.answer,
            let answer = BackgroundTaskRecord.Answer(response)
        else { return fail(transfer, URLError(.badServerResponse)) }
        let shown = transfer.attempt.shownAnswer ?? answer
        let data = resumeBlob(of: transfer)
        stop(transfer)
        transfer.isFinishing = true
        guard let file = transfer.attempt.file else {
            return end(transfer, .finish(shown, file: nil))
        }
        transfer.attempt.file = nil
        let name = file.name
        let id = transfer.id
        file.finish(into: results.folder, staysOnFailure: data != nil) { error in
            self.submit { helper in
                guard let transfer = helper.transfers[id] else {
                    try? helper.results.folder.remove(name)  // cancelled meanwhile
                    return
                }
                if let error {
                    helper.fail(transfer, error, resumeData: data)
                } else {
                    helper.end(transfer, .finish(shown, file: name))
                }
            }
        }
    }

    /// Completes a task with an error, and with resume data if there is any.
    func fail(_ transfer: HelperTransfer, _ error: URLError) {
        let data = resumeBlob(of: transfer)
        stop(transfer)
        fail(transfer, error, resumeData: data)
    }

    private func fail(_ transfer: HelperTransfer, _ error: URLError, resumeData: Data?) {
        if let resumeData { removeMarks(resumeData) } else { transfer.attempt.file?.remove() }
        end(transfer, .fail(error, resumeData: resumeData))
    }

    private func resumeBlob(of transfer: HelperTransfer) -> Data? {
        guard let record = journal[transfer.id.session, transfer.id.number] else { return nil }
        if case .upload = record.kind { return record.upload?.resumeData }
        return try? resumeData(of: transfer)?.blob
    }

    /// Removes the checksums: the resume data has one of its own.
    private func removeMarks(_ blob: Data) {
        guard let data = try? ResumeData(blob: blob) else { return }
        PartialFileMarks.remove(ofPartAt: parts.folder.path(of: data.fileName))
    }

    /// Writes the end of a task to disk, then reports it. On a full disk it is only reported; if no program
    /// is connected, a later helper runs the task again.
    func end(_ transfer: HelperTransfer, _ event: BackgroundTaskRecord.Event) {
        let id = transfer.id
        transfers[id] = nil
        guard var record = journal[id.session, id.number] else { return }
        do {
            _ = try journal.note(event, of: id.number, in: id.session) { record in
                record.history = transfer.history
            }
        } catch {
            log.note("cannot note the end of task \(id.number): \(error)")
        }
        guard record.apply(event) == .applied else { return }
        log.note("task \(id.number) of \(id.session) is over: \(record.state.summary)")
        if let deferredProgress = transfer.deferredProgress { notify(id.session, deferredProgress) }
        notify(id.session, .ended(id.number, record.state, transfer.history))
        dismissWorkers(of: id.session)
    }

    // MARK: - Requests of the program

    func cancel(_ id: HelperTransfer.ID) {
        if let transfer = transfers.removeValue(forKey: id) {
            stop(transfer)
            transfer.attempt.file?.remove()
        }
        if let blob = journal[id.session, id.number]?.part.resumeData,
            let data = try? ResumeData(blob: blob)
        {
            parts.remove(data.fileName)
        }
        if let record = journal[id.session, id.number], !record.state.isOver,
            let name = record.part.newFile
        {
            parts.remove(name)
        }
        forget(id)
    }

    /// Cancels a download and returns its resume data.
    func takeResumeData(_ id: HelperTransfer.ID) -> Data? {
        defer { forget(id) }
        guard let transfer = transfers.removeValue(forKey: id), !transfer.isFinishing else {
            return nil  // already over
        }
        let data = resumeBlob(of: transfer)
        stop(transfer)
        if let data { removeMarks(data) } else { transfer.attempt.file?.remove() }
        return data
    }

    /// Removes all files of a task that was acknowledged or cancelled.
    func forget(_ id: HelperTransfer.ID) {
        guard let record = journal[id.session, id.number] else { return }
        do {
            try journal.remove(id.number, in: id.session)
            if case .finished(_, let file?) = record.state { try results.folder.remove(file) }
            ReportedTasks(paths).remove(record)
        } catch {
            log.note("cannot remove task \(id.number): \(error)")
        }
    }
}
