import { formatCount } from './format-count.ts'

/** Bounds memory and keeps the report readable. */
const maxPlaces = 100

const maxReasons = 200

type Reason = { what: string; reason: string; count: number; places: string[] }

/** Contains no message text. */
export class Report {
  readonly #imported = new Map<string, number>()
  readonly #skipped = new Map<string, Reason>()
  readonly #changed = new Map<string, Reason>()

  addImported(what: string, count = 1): void {
    if (count > 0) this.#imported.set(what, (this.#imported.get(what) ?? 0) + count)
  }

  addSkipped(what: string, reason: string, location: string): void {
    addReason(this.#skipped, what, reason, location)
  }

  addAltered(what: string, reason: string, location: string): void {
    addReason(this.#changed, what, reason, location)
  }

  get taken(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#imported)
  }

  toJson() {
    return { taken: this.taken, altered: [...this.#changed.values()], notTaken: [...this.#skipped.values()] }
  }

  toText(): string {
    const taken = [...this.#imported].map(([what, count]) => `  ${formatCount(count, what)}`)
    return [
      ...section('imported', taken.length > 0 ? taken : ['  nothing new']),
      ...section('imported with changes', lines(this.#changed)),
      ...section('not imported', lines(this.#skipped)),
    ].join('\n')
  }
}

function addReason(reasons: Map<string, Reason>, what: string, reason: string, location: string): void {
  const isNew = !reasons.has(`${what}\0${reason}`)
  const isFull = isNew && [...reasons.values()].filter((other) => other.what === what).length >= maxReasons
  const shownReason = isFull ? 'for other reasons' : reason
  const key = `${what}\0${shownReason}`
  const known = reasons.get(key) ?? { what, reason: shownReason, count: 0, places: [] }
  known.count++
  if (known.places.length < maxPlaces) known.places.push(location)
  reasons.set(key, known)
}

const section = (title: string, rows: string[]): string[] => (rows.length === 0 ? [] : [`${title}:`, ...rows])

const maxPlacesShown = 5

const lines = (reasons: ReadonlyMap<string, Reason>): string[] =>
  [...reasons.values()].map(({ what, reason, count, places }) => {
    const more = count > maxPlacesShown ? ', ...' : ''
    return `  ${formatCount(count, what)}: ${reason} (${places.slice(0, maxPlacesShown).join(', ')}${more})`
  })
