internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

/// Opens Dropbox's page and receives the code: from the browser if there is one, else pasted by the user.
final class DropboxSignInViewController: ViewController {
    private let joining: DropboxSignIn
    private let club: ClubSettings
    private let back: (() -> Void)?
    /// Determines whether there is a browser.
    private let environment: [String: String]
    private let didJoin: (DropboxSignIn.SignedInClub) -> Void

    private var signIn: DropboxOAuth
    private var waiting: Task<Void, Never>?
    /// Exchanges the code for tokens.
    private var finishing: Task<Void, Never>?
    private var isFinishing: Bool { finishing != nil }
    private var isGivenUp = false
    /// The page shows the code. One page serves all attempts, so that a mistyped code can be corrected.
    private var isAskingForCode = false

    private let words = Label("")
    private let address = Label("")
    private let reason = Label("")
    private let field = TextField()
    private lazy var cancelButton = Button(
        back == nil ? localized("Cancel") : localized("Back")
    ) { [weak self] in self?.cancel() }
    private lazy var copyButton = Button(localized("Copy address")) { [weak self] in
        self?.copyAddress()
    }
    private lazy var codeButton = Button(localized("Use a code")) { [weak self] in self?.useCode() }
    private lazy var doneButton = Button(localized("Sign in")) { [weak self] in self?.submit() }
    private lazy var buttons = ButtonRow([cancelButton, copyButton, codeButton, doneButton])

    /// - Parameters:
    ///   - back: Called when the dialog was left without a sign-in: shows the previous dialog; nil if this is
    ///     the first one.
    ///   - didJoin: Called after the sign-in, when the dialog was dismissed.
    init(
        _ joining: DropboxSignIn, as club: ClubSettings, back: (() -> Void)? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        didJoin: @escaping (DropboxSignIn.SignedInClub) -> Void
    ) {
        self.joining = joining
        self.club = club
        self.back = back
        self.environment = environment
        self.didJoin = didJoin
        signIn = DropboxOAuth(app: joining.settings.app)
        super.init()
        // The default name of a club.
        title =
            club.name == "dropbox"
            ? localized("Sign in to Dropbox") : localized("Sign in to \(club.name)")
    }

    override func viewDidLoad() {
        field.placeholder = TextLine(localized("The code that the page shows"), .secondary)
        field.didSubmit = { [weak self] in self?.submit() }
        field.didChange = { [weak self] in self?.reason.text = "" }
        for part in [words, field, reason, buttons, address] { view.addSubview(part) }
        if Browser.isHere(environment) { askBrowser() } else { askForCode() }
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
        let parts = parts(in: Size(width: width, height: 40))
        let height = parts.reduce(0) { $0 + $1.height } + parts.count - 1
        return Size(width: width, height: min(available.height, height))
    }

    /// The visible parts from top to bottom, with their heights.
    private func parts(in size: Size) -> [(view: View, height: Int)] {
        var views: [View] = [words, address]
        if !field.isHidden { views.append(field) }
        if !reason.text.isEmpty { views.append(reason) }
        views.append(buttons)
        return views.map { ($0, $0 === field ? 1 : $0.sizeThatFits(size).height) }
    }

    /// If there is not enough room, the required parts come first: the address can be copied. A button is
    /// always visible.
    override func layoutView(in bounds: Rect) {
        var area = bounds
        let parts = parts(in: Size(width: bounds.width, height: 40))
        let wanted = parts.reduce(0) { $0 + $1.height }
        words.isHidden = bounds.height < wanted
        reason.frame = .zero
        guard words.isHidden else {
            let gap = bounds.height >= wanted + parts.count - 1 ? 1 : 0
            for part in parts {
                part.view.frame = area.takeTop(part.height)
                _ = area.takeTop(gap)
            }
            return
        }
        func height(_ view: View) -> Int { parts.first { $0.view === view }?.height ?? 0 }
        field.frame = area.takeTop(height(field))
        let reasonHeight = height(reason)
        let buttonHeight = min(height(buttons), max(1, area.height - min(1, reasonHeight)))
        buttons.frame = area.takeBottom(buttonHeight)
        reason.frame = area.takeTop(min(reasonHeight, area.height))
        address.frame = area
    }

    override var keyTable: KeyTable {
        KeyTable(title) {
            KeyCommand.copyAddress.performs { self.copyAddress() }
            if back == nil {
                KeyCommand.cancelAlert.performs { self.cancel() }
            } else {
                KeyCommand.cancelAlert.performs(label: localized("back")) { self.cancel() }
            }
        }
    }
}

// MARK: - The two ways

extension DropboxSignInViewController {
    private func askBrowser() {
        do throws(SignInError) {
            let browser = try DropboxAuthorization.ByBrowser(joining.settings.app)
            signIn = browser.signIn
            guard Browser.open(browser.entrance, environment: environment) == .started else {
                return askForCode()
            }
            show(
                localized(
                    "Your browser shows a page of Dropbox: let Byte Club in there. If it does not, open:"
                )
            )
            setShown(field: false)
            waiting = Task { [weak self] in
                do throws(SignInError) {
                    let code = try await browser.code()
                    // The code belongs to the page that the browser opened, whatever is shown now.
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

    /// Switches to pasting the code from the page. The typed text and its page stay.
    private func askForCode() {
        guard !isAskingForCode else { return }
        isAskingForCode = true
        waiting?.cancel()
        signIn = DropboxOAuth(app: joining.settings.app)
        show(
            localized(
                "Open this page in a browser, let Byte Club in, and bring the code that it shows:"))
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
        application?.showMessage(
            localized("The address is in the clipboard, if the terminal allows it."))
    }

    /// Cancels pending work, which ends without the dialog.
    private func cancel() {
        if isFinishing { application?.dismissMessage() }
        dismiss { [back] in back?() }
    }
}

// MARK: - The end

extension DropboxSignInViewController {
    private func submit() {
        guard !field.isHidden, !isFinishing else { return }
        guard field.text.contains(where: { !$0.isWhitespace }) else {
            return explain(localized("Paste the code that the page shows, then press Enter."))
        }
        finish(field.text, of: signIn)
    }

    private func finish(_ code: String, of signIn: DropboxOAuth) {
        guard !isFinishing, isOnScreen else { return }
        let application = application
        explain("")
        application?.showMessage(localized("Signing in…"), for: nil)
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
        guard isAskingForCode else {
            askForCode()
            return explain(error.description)
        }
        // Pasting replaces the text.
        field.selectAll()
        switch error {
        case .signIn(let reason) where [.codeRefused, .revoked].contains(reason.code):
            explain(
                localized(
                    "Dropbox did not accept this code. Compare it with the page. If it was used before, or is older "
                        + "than a few minutes, open the page again: it shows a new one."))
        case .signIn: explain(error.description)
        default:
            // The code was accepted; a later step failed.
            field.text = ""
            explain(
                error.description + "\n" + localized("Opened again, the page shows a new code."))
        }
    }

    private func explain(_ sentence: String) {
        reason.text = TextLine(sentence, .warning)
        view.setNeedsLayout()
        view.superview?.setNeedsLayout()
    }
}

extension KeyCommand {
    static let copyAddress = KeyCommand(
        "login.copy-address", keys: ["^O"], title: localized("Copy the page's address"),
        label: localized("copy address"),
        weight: 75)

    static let loginCommands: [KeyCommand] = [.copyAddress]
}
