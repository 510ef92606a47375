import { counted } from './counted.ts'

/** Places kept per reason, to bound memory and keep the report readable. */
const placesKept = 100

/** Reasons kept per kind of thing. */
const maxReasons = 200

type Reason = { what: string; reason: string; count: number; places: string[] }

/** What was imported and what was left out, with reasons and places. Contains no message text. */
export class Report {
  readonly #taken = new Map<string, number>()
  readonly #skipped = new Map<string, Reason>()
  readonly #changed = new Map<string, Reason>()

  /** Counts imported things. */
  imported(what: string, count = 1): void {
    if (count > 0) this.#taken.set(what, (this.#taken.get(what) ?? 0) + count)
  }

  /** Records something that could not be imported. */
  skipped(what: string, reason: string, place: string): void {
    note(this.#skipped, what, reason, place)
  }

  /** Records something that was imported with changes. */
  altered(what: string, reason: string, place: string): void {
    note(this.#changed, what, reason, place)
  }

  get taken(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#taken)
  }

  toJson() {
    return { taken: this.taken, altered: [...this.#changed.values()], notTaken: [...this.#skipped.values()] }
  }

  toText(): string {
    const taken = [...this.#taken].map(([what, count]) => `  ${counted(count, what)}`)
    return [
      ...section('taken', taken.length > 0 ? taken : ['  nothing new']),
      ...section('imported with changes', lines(this.#changed)),
      ...section('not imported', lines(this.#skipped)),
    ].join('\n')
  }
}

function note(reasons: Map<string, Reason>, what: string, reason: string, place: string): void {
  const isNew = !reasons.has(`${what}\0${reason}`)
  const crowded = isNew && [...reasons.values()].filter((other) => other.what === what).length >= maxReasons
  const shownReason = crowded ? 'for other reasons' : reason
  const key = `${what}\0${shownReason}`
  const known = reasons.get(key) ?? { what, reason: shownReason, count: 0, places: [] }
  known.count++
  if (known.places.length < placesKept) known.places.push(place)
  reasons.set(key, known)
}

const section = (title: string, rows: string[]): string[] => (rows.length === 0 ? [] : [`${title}:`, ...rows])

const placesShown = 5

const lines = (reasons: ReadonlyMap<string, Reason>): string[] =>
  [...reasons.values()].map(({ what, reason, count, places }) => {
    const more = count > placesShown ? ', ...' : ''
    return `  ${counted(count, what)}: ${reason} (${places.slice(0, placesShown).join(', ')}${more})`
  })
