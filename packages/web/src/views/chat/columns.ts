const sample = 'Messages are written in words of several letters, and in some signs: 10:02, why not?'
/** Pixels beside the text of a message. */
const besideText = 96
/** Fraction of the window's width that a room and a thread have, for use before layout. */
const fraction = { room: 0.75, thread: 0.3 }

/** Mean width of a letter in pixels, in the font of this device. */
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

/** Estimates how many letters fit into a line of a timeline. */
export function columnsIn(timeline: HTMLElement | undefined, isThread: boolean): number {
  letterPx ??= measureLetter()
  const width = timeline?.clientWidth ?? innerWidth * (isThread ? fraction.thread : fraction.room)
  return Math.max(1, Math.floor((width - besideText) / letterPx))
}
