internal import ClubAccess
internal import TerminalUI

/// The view in the middle of the screen while a photo is on its way: name, bar, bytes, Cancel.
final class UploadViewController: ViewController {
    private let upload: PhotoUpload
    private let completion: (PhotoUpload.Result) -> Void

    private let nameLabel = Label("")
    private let progressView = ProgressView()
    private let bytesLabel = Label("")
    private let speedLabel = Label("")
    private lazy var cancelButton = Button("Cancel") { [weak self] in self?.upload.cancel() }
    private lazy var buttons = ButtonRow([cancelButton])

    /// - Parameter completion: Called once, when the view has left the screen.
    init(_ upload: PhotoUpload, completion: @escaping (PhotoUpload.Result) -> Void) {
        self.upload = upload
        self.completion = completion
        super.init()
        title = "Upload"
    }

    override func viewDidLoad() {
        for part in [nameLabel, progressView, bytesLabel, speedLabel, buttons] {
            view.addSubview(part)
        }
        nameLabel.text = TextLine(upload.name)
        upload.delegate = self
        show()
    }

    override func viewDidAppear() { upload.start() }

    override func preferredSize(in available: Size) -> Size {
        Size(width: min(56, available.width), height: min(7, available.height))
    }

    override func layoutView(in bounds: Rect) {
        var area = bounds
        buttons.frame = area.takeBottom(1)
        if area.height > 4 { _ = area.takeBottom(1) }
        nameLabel.frame = area.takeTop(1)
        if area.height > 3 { _ = area.takeTop(1) }
        progressView.frame = area.takeTop(1)
        bytesLabel.frame = area.takeTop(1)
        speedLabel.frame = area.takeTop(1)
    }

    override var keyTable: KeyTable {
        KeyTable("Upload") {
            KeyCommand.cancelUpload.performs { self.upload.cancel() }
        }
    }

    private func show() {
        switch upload.phase {
        case .preparing(let fraction):
            progressView.fraction = 0
            bytesLabel.text = TextLine("Preparing the photo… \(Int(fraction * 100)) %", .secondary)
            speedLabel.text = ""
        case .sending(let progress):
            progressView.fraction = progress.fraction
            bytesLabel.text = TextLine(
                "\(Wording.byteCount(progress.byteCount)) / \(Wording.byteCount(progress.expectedByteCount))"
            )
            speedLabel.text = TextLine(Self.speed(progress), .secondary)
        case .finished: break
        }
    }

    private static func speed(_ progress: TransferProgress) -> String {
        [progress.bytesPerSecond.map(Wording.speed), progress.timeLeft.map(Wording.timeLeft)]
            .compactMap { $0 }.joined(separator: " · ")
    }
}

extension UploadViewController: PhotoUploadDelegate {
    func photoUploadDidProgress(_ upload: PhotoUpload) { show() }

    func photoUpload(_ upload: PhotoUpload, didFinishWith result: PhotoUpload.Result) {
        dismiss { [completion] in completion(result) }
    }
}

extension KeyCommand {
    static let cancelUpload = KeyCommand(
        "transfer.cancel", keys: ["Esc", "c", "^C"], title: "Cancel the upload", label: "Cancel",
        weight: 99)

    static let transferCommands: [KeyCommand] = [.cancelUpload]
}
