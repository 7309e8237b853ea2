public import CurlNetworking
internal import ByteClubMessages
public import TerminalUI

/// A dialog that answers a server's challenge with a user name and a password.
public final class LogInController: ViewController {
    private let userField = TextField()
    private let passwordField = TextField()
    private let words: Label
    /// The title where there is no room for the words.
    private let shortTitle: String
    private let form = FormView()
    private let didEnd: @MainActor (URLCredential?) -> Void
    private var isOver = false

    /// - Parameter didEnd: Called once, when the dialog was dismissed; with nil if it was cancelled.
    public init(
        _ challenge: URLAuthenticationChallenge,
        didEnd: @escaping @MainActor (URLCredential?) -> Void
    ) {
        self.didEnd = didEnd
        let space = challenge.protectionSpace
        let isWrong = challenge.previousFailureCount > 0
        let realm = space.realm.map { $0.isEmpty ? "" : localized(" for “\($0.prefix(80))”") } ?? ""
        let isUsualPort = [0, 80, 443].contains(space.port)
        let host = isUsualPort ? space.host : "\(space.host):\(space.port)"
        let who = space.isProxy() ? localized("The proxy \(host)") : host
        var text = TextLine(
            isWrong
                ? localized("\(who) did not accept this name and password. Try again.")
                : localized("\(who) wants a name and a password\(realm)."),
            isWrong ? .warning : .text)
        let isHere = ["127.0.0.1", "localhost", "::1"].contains(space.host)
        if !space.receivesCredentialSecurely, !isHere {
            text = text + TextLine(localized(" Others on the network can read them."), .secondary)
        }
        words = Label(text)
        shortTitle = isWrong ? localized("Not accepted") : host
        super.init()
        title = localized("Log in")
        userField.text = challenge.proposedCredential?.user ?? ""
        passwordField.isSecure = true
    }

    /// Answers a challenge: with a known credential, with one that the user types, or with the default
    /// handling.
    ///
    /// - Parameter didAsk: Called when the user is asked, and with the answer's credential.
    public static func answer(
        _ challenge: URLAuthenticationChallenge, over controller: ViewController,
        with answer: @escaping WebFetch.Answer,
        willAsk: @MainActor () -> Void, didAnswer: @escaping @MainActor (URLCredential?) -> Void
    ) {
        let method = challenge.protectionSpace.authenticationMethod
        let isPassword =
            method == NSURLAuthenticationMethodHTTPBasic
            || method == NSURLAuthenticationMethodHTTPDigest
            || method == NSURLAuthenticationMethodDefault
        let known = challenge.proposedCredential
        guard isPassword, controller.application != nil,
            challenge.previousFailureCount > 0 || known == nil
        else { return answer(.performDefaultHandling, nil) }
        willAsk()
        controller.present(
            LogInController(challenge) { credential in
                didAnswer(credential)
                answer(
                    credential == nil ? .cancelAuthenticationChallenge : .useCredential, credential)
            })
    }

    public override func viewDidLoad() {
        form.add(localized("Name"), userField)
        form.add(localized("Password"), passwordField)
        form.add(
            ButtonRow([
                Button(localized("Cancel")) { [weak self] in self?.end(nil) },
                Button(localized("Log in")) { [weak self] in self?.submit() },
            ]))
        userField.didSubmit = { [weak self] in self?.passwordField.becomeFirstResponder() }
        passwordField.didSubmit = { [weak self] in self?.submit() }
        view.addSubview(words)
        view.addSubview(form)
    }

    public override var preferredFirstResponder: View? {
        userField.text.isEmpty ? userField : passwordField
    }

    public override func preferredSize(in available: Size) -> Size {
        let width = min(52, available.width)
        let rows = words.sizeThatFits(Size(width: width, height: 6)).height
        return Size(width: width, height: min(available.height, rows + 8))
    }

    public override func layoutView(in bounds: Rect) {
        var area = bounds
        let rows = words.sizeThatFits(Size(width: bounds.width, height: 6)).height
        // The fields have priority if there is not enough room.
        words.isHidden = bounds.height < rows + 5
        title = words.isHidden ? shortTitle : localized("Log in")
        if !words.isHidden {
            words.frame = area.takeTop(rows)
            if area.height > 7 { _ = area.takeTop(1) }
        }
        form.frame = area
    }

    public override var keyTable: KeyTable {
        KeyTable(title) {
            KeyCommand.cancelAlert.performs { self.end(nil) }
        }
    }

    /// If something else dismisses it, it counts as cancelled.
    public override func viewDidDisappear() {
        guard !isOver else { return }
        isOver = true
        didEnd(nil)
    }

    private func submit() {
        guard !userField.text.isEmpty || !passwordField.text.isEmpty else {
            userField.becomeFirstResponder()
            return
        }
        end(
            URLCredential(
                user: userField.text, password: passwordField.text, persistence: .forSession))
    }

    private func end(_ credential: URLCredential?) {
        guard !isOver else { return }
        isOver = true
        dismiss { [didEnd] in didEnd(credential) }
    }
}
