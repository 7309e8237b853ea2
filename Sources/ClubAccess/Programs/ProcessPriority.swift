internal import CByteClubLinux
internal import Glibc

/// Who goes first where programs compete for a processor: what answers a person's key.
package enum ProcessPriority {
    /// Puts this process behind what is on a screen, for the rest of its life. Does nothing unless it leads a
    /// session of its own, as programs in the background do: what a person starts keeps its priority.
    ///
    /// On desktops Linux weighs whole sessions against each other (`autogroup` in `sched(7)`), and there a
    /// process's own nice value counts only within its session; so both are set.
    package static func yieldToScreens() {
        guard getsid(0) == getpid() else { return }
        let niceness: CInt = 5
        byteclub_lower_group_priority(niceness)
        let group = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC)
        guard group >= 0 else { return }
        defer { close(group) }
        let value = Array(String(niceness).utf8)
        _ = write(group, value, value.count)
    }
}
