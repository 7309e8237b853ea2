internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials
internal import TerminalUI

/// Opens Dropbox's page and receives the code: from the browser if there is one, else pasted by the
/// person.
final class DropboxSignInViewController: ViewController {
    private let joining: DropboxSignIn
    private let club: ClubSettings
    private let didJoin: (DropboxSignIn.SignedInClub) -> Void

    private var signIn: DropboxOAuth
    private var waiting: Task<Void, Never>?
    /// The code is being turned into a sign-in.
    private var finishing: Task<Void, Never>?
    private var isFinishing: Bool { finishing != nil }
    private var isGivenUp = false

    private let words = Label("")
    private let address = Label("")
    private let reason = Label("")
    private let field = TextField()
    private lazy var cancelButton = Button("Cancel") { [weak self] in self?.cancel() }
    private lazy var copyButton = Button("Copy address") { [weak self] in self?.copyAddress() }
    private lazy var codeButton = Button("Use a code") { [weak self] in self?.useCode() }
    private lazy var doneButton = Button("Sign in") { [weak self] in self?.submit() }
    private lazy var buttons = ButtonRow([cancelButton, copyButton, codeButton, doneButton])

    /// - Parameter didJoin: Called when the person is signed in and the box is gone.
    init(
        _ joining: DropboxSignIn, as club: ClubSettings,
        didJoin: @escaping (DropboxSignIn.SignedInClub) -> Void
    ) {
        self.joining = joining
        self.club = club
        self.didJoin = didJoin
        signIn = DropboxOAuth(app: joining.settings.app)
        super.init()
        title = "Sign in to \(club.name)"
    }

    override func viewDidLoad() {
        field.placeholder = TextLine("The code that the page shows", .secondary)
        field.didSubmit = { [weak self] in self?.submit() }
        field.didChange = { [weak self] in self?.reason.text = "" }
        for part in [words, field, reason, buttons, address] { view.addSubview(part) }
        let environment = ProcessInfo.processInfo.environment
        if Browser.isHere(environment) { askBrowser(environment) } else { askForCode() }
    }

    override func viewDidDisappear() {
        waiting?.cancel()
        guard isFinishing else { return }
        isGivenUp = true
        finishing?.cancel()
    }

    override var preferredFirstResponder: View? {
        field.isHidden ? cancelButton : field
    }

    override func preferredSize(in available: Size) -> Size {
        let width = min(72, available.width)
        let rows = [words, reason, address].reduce(0) {
            $0 + $1.sizeThatFits(Size(width: width, height: 40)).height
        }
        return Size(
            width: width,
            height: min(available.height, rows + (field.isHidden ? 0 : 1) + 1 + 3))
    }

    /// What is needed comes first: on a small screen the address is cut, and can be copied.
    override func layoutView(in bounds: Rect) {
        var area = bounds
        let isRoomy = bounds.height >= 12
        func place(_ part: View, _ height: Int) {
            part.frame = area.takeTop(min(area.height, height))
            if isRoomy, height > 0 { _ = area.takeTop(min(area.height, 1)) }
        }
        func height(_ part: View) -> Int { part.sizeThatFits(bounds.size).height }
        if isRoomy { place(words, height(words)) }
        words.isHidden = !isRoomy
        if isRoomy { place(address, height(address)) }
        place(field, field.isHidden ? 0 : 1)
        place(reason, reason.text.isEmpty ? 0 : height(reason))
        place(buttons, height(buttons))
        if !isRoomy { place(address, area.height) }
    }

    override var keyTable: KeyTable {
        KeyTable(title) {
            KeyCommand.copyAddress.performs { self.copyAddress() }
            KeyCommand.cancelAlert.performs { self.cancel() }
        }
    }
}

// MARK: - The two ways

extension DropboxSignInViewController {
    private func askBrowser(_ environment: [String: String]) {
        do throws(SignInError) {
            let browser = try DropboxAuthorization.ByBrowser(joining.settings.app)
            signIn = browser.signIn
            guard Browser.open(browser.entrance, environment: environment) else {
                return askForCode()
            }
            show(
                "Your browser shows a page of Dropbox: let Byte Club in there. If it does not, open:"
            )
            setShown(field: false)
            waiting = Task { [weak self] in
                do throws(SignInError) {
                    let code = try await browser.code()
                    // The code belongs to the page that the browser was sent to, whatever is shown now.
                    self?.finish(code, of: browser.signIn)
                } catch {
                    self?.fail(error)
                }
            }
        } catch {
            askForCode()
        }
    }

    private func useCode() {
        guard !isFinishing else { return }
        askForCode()
    }

    /// The page leads nowhere and shows the code.
    private func askForCode() {
        waiting?.cancel()
        signIn = DropboxOAuth(app: joining.settings.app)
        show("Open this page in a browser, let Byte Club in, and bring the code that it shows:")
        setShown(field: true)
        application?.setNeedsDisplay()
        _ = field.becomeFirstResponder()
    }

    private func show(_ sentence: String) {
        words.text = TextLine(sentence)
        address.text = TextLine(signIn.authorizationURL.absoluteString, .accent)
    }

    private func setShown(field isShown: Bool) {
        field.isHidden = !isShown
        doneButton.isHidden = !isShown
        codeButton.isHidden = isShown
        view.setNeedsLayout()
        view.superview?.setNeedsLayout()
    }

    private func copyAddress() {
        application?.copyToClipboard(signIn.authorizationURL.absoluteString)
        application?.showMessage("The address is in the clipboard, if the terminal allows it.")
    }

    /// Gives up whatever is under way; what is left of it ends without the box.
    private func cancel() {
        if isFinishing { application?.dismissMessage() }
        dismiss()
    }
}

// MARK: - The end

extension DropboxSignInViewController {
    private func submit() {
        guard !field.isHidden else { return }
        finish(field.text, of: signIn)
    }

    private func finish(_ code: String, of signIn: DropboxOAuth) {
        guard !isFinishing, isOnScreen else { return }
        let application = application
        explain("")
        application?.showMessage("Signing in…", for: nil)
        finishing = startPending { [self] in
            do throws(SignInError) {
                let joined = try await joining.finish(signIn, code: code, as: club)
                guard !isGivenUp else {
                    application?.showMessage(LoginFlow.sentence(joinedLate: club))
                    return
                }
                finishing = nil
                application?.dismissMessage()
                dismiss { [didJoin] in didJoin(joined) }
            } catch {
                guard !isGivenUp else { return }
                finishing = nil
                application?.dismissMessage()
                fail(error)
            }
        }
    }

    private func fail(_ error: SignInError) {
        if case .noAnswer(.cancelled) = error { return }
        guard isOnScreen else { return }
        // A code is valid once, and a page for one code: another attempt needs a new one.
        askForCode()
        field.text = ""
        explain(error.description)
    }

    private func explain(_ sentence: String) {
        reason.text = TextLine(sentence, .warning)
        view.setNeedsLayout()
        view.superview?.setNeedsLayout()
    }
}

extension KeyCommand {
    static let copyAddress = KeyCommand(
        "login.copy-address", keys: ["^O"], title: "Copy the page's address", label: "copy address",
        weight: 75)

    static let loginCommands: [KeyCommand] = [.copyAddress]
}
