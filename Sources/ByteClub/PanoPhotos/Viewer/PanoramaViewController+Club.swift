internal import ClubAccess
internal import ClubStore

/// The photo on the screen and the club: another member, or another program, may replace or remove it.
extension PanoramaViewController: ClubObserver {
    func clubDidChange(_ club: Club) {
        guard let now = club.contents[photo.path] else {
            // Photos that were never listed are shown as well.
            guard info.isListed, !info.isGone else { return }
            info.isGone = true
            return showInfo()
        }
        let wasGone = info.isGone
        (info.isListed, info.isGone) = (true, false)
        if now.revision != photo.revision { return replacePhoto(with: now) }
        if wasGone { showInfo() }
    }
}
