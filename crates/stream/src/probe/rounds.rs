//! What a probe requests next.

use meshlens::part::FileRange;

use super::Probe;
use crate::probe_options::{MOST_AHEAD, MOST_GUESSES};
use crate::{Few, ProbeOptions};

/// The largest number of bytes to request if all bytes before the missing byte were needed.
const MOST_IN_SEQUENCE: u64 = 16 << 20;

impl Probe {
    /// Like [`read_ahead`](Self::read_ahead), also in this round, none of whose reads has begun. Returns its ranges if they have
    /// changed.
    pub(crate) fn read_ahead_now(&mut self, options: ProbeOptions) -> Option<Few<FileRange>> {
        if !self.read_ahead(options) {
            return None;
        }
        let (pace, used) = self.before?;
        self.change_round(|probe| {
            probe.pace = pace;
            probe.rounds -= 1;
            probe.wanted = probe.next_round(probe.needed, used);
            probe.rounds += 1;
        });
        Some(self.missing())
    }

    /// Changes what this round requests. It has not begun.
    fn change_round(&mut self, change: impl FnOnce(&mut Probe)) {
        let missing = |probe: &Probe| probe.missing().iter().map(FileRange::len).sum();
        self.requested = self.requested.saturating_sub(missing(self));
        change(self);
        self.requested = self.requested.saturating_add(missing(self));
    }

    /// Limits a round for which there is not enough memory to about `most` bytes, and returns its ranges: from the place on that the
    /// parser needs next.
    pub(crate) fn limit_round(&mut self, most: u64) -> Few<FileRange> {
        let FileRange { file, start, end } = self.needed;
        if let Some(pieces) = self.files.pieces.get(file).filter(|_| start < end) {
            let end = end.max(pieces.reach(start, most.max(self.options.read)));
            self.change_round(|probe| probe.wanted = Few::from_elem(FileRange::new(file, start..end), 1));
        }
        self.missing()
    }

    /// The ranges of the next round, including `missing`. The headers at the last places took at most `used` bytes.
    pub(super) fn next_round(&mut self, missing: FileRange, used: u64) -> Few<FileRange> {
        let FileRange { file, start, end } = missing;
        let Some(pieces) = self.files.pieces.get(file) else { return Few::from_elem(missing, 1) };
        let rest = pieces.file_len().saturating_sub(pieces.len());
        let room = self.options.max_bytes.saturating_sub(self.requested);
        let affordable = self.options.whole.saturating_mul(8_u64.saturating_pow(self.rounds - 1));
        // A file of which half is loaded is read to the end, too.
        if rest <= affordable.max(pieces.len()).min(room) {
            let gaps = pieces.gaps(0..u64::MAX).map(|gap| FileRange::new(file, gap));
            return gaps.collect();
        }
        let read = self.options.read;
        let follows = start > 0 && pieces.has(start - 1..start);
        let last = self.pace.guess.last.filter(|last| self.pace.guess.file == file && *last < start);
        let is_sequence = follows && last.is_some_and(|last| pieces.has(last..start));
        if is_sequence && self.pace.guess.ahead > 0 {
            // The header at the predicted place was longer.
            self.pace.least = self.pace.least.saturating_mul(4).min(read);
        }
        // At predicted places, request as many bytes as the headers at the last places used.
        let size = used.saturating_add(self.pace.least).max(end - start).min(read);
        let most = if is_sequence { 0 } else { (MOST_AHEAD / size).clamp(1, MOST_GUESSES) };
        let (is_as_guessed, guesses) = self.pace.guess.next(file, start, most);
        let guesses: Vec<u64> = guesses.collect();

        self.pace.ahead =
            if follows { self.pace.ahead.saturating_mul(2).min(MOST_IN_SEQUENCE).max(read) } else { read };
        let mut ahead = self.pace.ahead;
        if is_as_guessed {
            ahead = size;
        } else {
            self.pace.surprises = self.pace.surprises.saturating_add(1);
            let impatience = self.pace.surprises.saturating_sub(self.options.patience).min(40);
            let impatient = read.saturating_mul(1 << impatience).min(MOST_AHEAD.max(read));
            // A request that does not reach the next place does not save a round.
            for more in [impatient, self.options.whole.min(room)] {
                if last.is_none_or(|last| start - last <= more) {
                    ahead = ahead.max(more);
                }
            }
        }

        // A small gap is read, too, instead of in a request of its own later.
        let before = pieces.end_before(start);
        let first = if ahead > read && start - before <= ahead / 16 { before } else { start };
        let mut ranges = Few::from_elem(FileRange::new(file, first..end.max(pieces.reach(first, ahead))), 1);
        for guess in guesses {
            let last = ranges.last().map_or(start, |range| range.end);
            if guess >= pieces.file_len() {
                break;
            }
            if guess > last {
                ranges.push(FileRange::new(file, guess..pieces.reach(guess, size)));
            }
        }
        ranges.sort_unstable();
        ranges.dedup_by(|next, range| {
            let is_joined = next.start <= range.end;
            if is_joined {
                range.end = range.end.max(next.end);
            }
            is_joined
        });
        ranges
    }
}
