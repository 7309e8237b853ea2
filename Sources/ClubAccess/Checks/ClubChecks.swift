package import ClubStore
package import FoundationEssentials
internal import ByteClubMessages

/// The checks of one club: whether it responds, its free space, and its clock.
package enum ClubChecks {
    package static func connection(
        _ answer: Result<Account, StoreError>, took time: Duration, club: String,
        kind: ErrorMessage.ClubKind
    ) -> Diagnostic {
        let subject = "connection"
        switch answer {
        case .success(let account):
            let milliseconds = Int(time / .milliseconds(1))
            let who = account.displayName.isEmpty ? "" : localized(" as \(account.displayName)")
            return Diagnostic(
                subject, .fine,
                localized("The club “\(club)” answers\(who), in \(milliseconds) ms."))
        case .failure(let error):
            let sentence = ErrorMessage(error, club: kind)
            return Diagnostic(
                subject, .problem, "“\(club)”: \(sentence.title).", advice: sentence.text
            )
        }
    }

    /// - Parameter protection: The result of the first write to the server.
    package static func writing(_ protection: WriteProtection) -> Diagnostic {
        let subject = "writing"
        return switch protection {
        case .byServer:
            Diagnostic(
                subject, .fine,
                localized("The server refuses to overwrite another member's changes."))
        case .byLocking:
            Diagnostic(
                subject, .fine,
                localized(
                    "The server lets Byte Club lock a note while it saves, so that nothing is overwritten."
                )
            )
        case .byCheckingFirst:
            Diagnostic(
                subject, .notice,
                localized(
                    "The server would overwrite anything, so Byte Club looks before each write."),
                advice:
                    localized(
                        "If two members save one note in the same second, one of the saves is lost "
                            + "unnoticed. Apache and Nextcloud prevent that."
                    ))
        }
    }

    package static func quota(_ account: Account) -> Diagnostic {
        let subject = "quota"
        let used = Wording.byteCount(account.usedBytes)
        guard let allocated = account.allocatedBytes, allocated > 0 else {
            return Diagnostic(
                subject, .fine, localized("\(used) are used; the club sets no limit."))
        }
        let text = localized("\(used) of \(Wording.byteCount(allocated)) are used.")
        let left = max(0, allocated - account.usedBytes)
        if left == 0 || Double(left) < Double(allocated) * 0.01 {
            return Diagnostic(
                subject, .problem, text,
                advice: localized("Remove photos you no longer need, or get more room."))
        }
        if Double(left) < Double(allocated) * 0.1 {
            return Diagnostic(
                subject, .notice, text, advice: localized("There is little room left."))
        }
        return Diagnostic(subject, .fine, text)
    }

    /// - Parameter lead: How many seconds this computer's clock is ahead of the club's; nil if the club
    ///   does not report the time.
    package static func clock(lead: TimeInterval?) -> Diagnostic {
        let subject = "clock"
        guard let lead else {
            return Diagnostic(
                subject, .notice,
                localized("The server did not report its time, so the clock was not checked."))
        }
        let seconds = Int(abs(max(-1e9, min(1e9, lead))).rounded())
        let text =
            seconds < 2
            ? localized("It agrees with the club's.")
            : lead > 0
                ? localized("It is \(spelled(seconds)) ahead of the club's clock.")
                : localized("It is \(spelled(seconds)) behind the club's clock.")
        let advice = localized("Let the system set it: sudo timedatectl set-ntp true")
        switch seconds {
        case ..<60: return Diagnostic(subject, .fine, text)
        case ..<300: return Diagnostic(subject, .notice, text, advice: advice)
        default:
            return Diagnostic(
                subject, .problem,
                text + localized(" Sign-ins and certificates may be refused for that."),
                advice: advice)
        }
    }

    /// For the club on this computer.
    package static let ownClock = Diagnostic(
        "clock", .fine, localized("The club has this computer's own clock."))

    /// For a check that needs a response from a club that sends none.
    package static func notChecked(_ subject: String) -> Diagnostic {
        Diagnostic(subject, .notice, localized("Not checked: the server did not say."))
    }

    private static func spelled(_ seconds: Int) -> String {
        switch seconds {
        case ..<120: localized("\(seconds) seconds")
        case ..<7200: localized("\(seconds / 60) minutes")
        case ..<172_800: localized("\(seconds / 3600) hours")
        default: localized("\(seconds / 86_400) days")
        }
    }
}
