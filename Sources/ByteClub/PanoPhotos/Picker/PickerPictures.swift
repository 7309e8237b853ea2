internal import ByteClubMessages
internal import ByteClubPictures
internal import TerminalPictures
internal import TerminalUI

/// The pictures of the photo picker: thumbnails in its list, and the selected photo beside it.
@MainActor final class PickerPictures {
    /// Shows the selected photo.
    let view = ImageView()

    private let list: ListView
    /// The picker, which owns this.
    private unowned let owner: ViewController
    private var thumbnails: LocalThumbnails?
    private var showing: Task<Void, Never>?

    init(beside list: ListView, owner: ViewController) {
        self.list = list
        self.owner = owner
    }

    func cancel() {
        showing?.cancel()
        thumbnails?.cancel()
    }

    /// The thumbnail of a photo; nil if thumbnails are not shown.
    func thumbnail(of entry: PhotoFolder.Entry) -> LocalThumbnails.State? {
        thumbnails?.state(of: entry)
    }

    /// Chooses whether thumbnails are shown: there must be room, and a photo. Folders alone take one line
    /// each.
    ///
    /// Called for each layout, and when the entries change.
    func prepareThumbnails(for entries: [PhotoFolder.Entry]) {
        guard let screen = owner.application?.screen else { return }
        let width = list.bounds.width
        let hasRoom = width >= 34 && entries.contains { $0.kind == .photo }
        let box = hasRoom ? CellSize(columns: width < 56 ? 10 : 14, rows: 2) : nil
        guard box != thumbnails?.box || (box == nil) != (list.imageSize == nil) else {
            return
        }
        thumbnails?.cancel()
        list.imageSize = box.map { Size(width: $0.columns, height: $0.rows) }
        list.rowHeight = box?.rows ?? 1
        thumbnails = box.map { box in
            let render: LocalThumbnails.Render = { path, box, renderer in
                do throws(PictureError) {
                    return .success(try await LocalPicture.render(path, fitting: box, renderer))
                } catch {
                    return .failure(error)
                }
            }
            let thumbnails = LocalThumbnails(
                box: box, renderer: .atRest(screen), render: render
            ) { [unowned owner] in owner.startPending($0) }
            thumbnails.onArrival = { [weak list] in list?.setNeedsDisplay() }
            return thumbnails
        }
    }

    /// Makes the thumbnails of the visible rows.
    func showThumbnails(of entries: [PhotoFolder.Entry]) {
        guard let thumbnails, owner.isOnScreen else { return }
        let first = list.firstVisibleIndex
        let visible = entries[first..<min(entries.count, first + list.visibleRowCount + 1)]
        thumbnails.show(visible.filter { $0.kind == .photo })
    }

    /// Shows a photo in place of the one before; anything else, or nil, shows nothing.
    func show(_ entry: PhotoFolder.Entry?) {
        showing?.cancel()
        view.image = nil
        view.placeholder = ""
        guard let entry, entry.kind == .photo, let screen = owner.application?.screen else {
            return
        }
        let box = CellSize(columns: view.bounds.width - 1, rows: view.bounds.height)
        let renderer = CellRenderer.atRest(screen)
        showing = owner.startPending { [view] in
            do throws(PictureError) {
                let cells = try await LocalPicture.render(entry.path, fitting: box, renderer)
                guard !Task.isCancelled else { return }
                view.image = ImageCells(cells)
            } catch {
                guard !Task.isCancelled else { return }
                view.placeholder = TextLine(
                    localized("No picture: \(error.reason)."), .secondary)
            }
        }
    }
}
