const sample = 'Messages are written in words of several letters, and in some signs: 10:02, why not?'
/** Width of a timeline in pixels that is not available for the text of a message. */
const besideText = 96
/** Widths of a room and a thread as fractions of the window, used before the layout is known. */
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

/** How many letters of mean width fit into a line of a message. */
export function columnsIn(timeline: HTMLElement | undefined, isThread: boolean): number {
  letterPx ??= measureLetter()
  const width = timeline?.clientWidth ?? innerWidth * (isThread ? fraction.thread : fraction.room)
  return Math.max(1, Math.floor((width - besideText) / letterPx))
}
