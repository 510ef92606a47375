const sample = 'Messages are written in words of several letters, and in some signs: 10:02, why not?'
/** Pixels beside the text of a message. */
const besideText = 96
/** Part of a window that a room and a thread take, until they are laid out. */
const share = { room: 0.75, thread: 0.3 }

/** Mean width of a letter in pixels, of the font and at the size that this device uses. */
let letterPx: number | undefined

function measureLetter(): number {
  const line = document.createElement('span')
  line.className = 'unseen'
  line.textContent = sample
  document.body.append(line)
  const width = line.scrollWidth / sample.length
  line.remove()
  return width || 8
}

/** About how many letters fit into a line of text of a timeline. */
export function columnsIn(timeline: HTMLElement | undefined, isThread: boolean): number {
  letterPx ??= measureLetter()
  const width = timeline?.clientWidth ?? innerWidth * (isThread ? share.thread : share.room)
  return Math.max(1, Math.floor((width - besideText) / letterPx))
}
