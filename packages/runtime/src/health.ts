type Check = { name: string; reason: () => string | undefined }

/**
 * Whether this process should receive work. Dependencies count only at start. Later only draining and the checks of the
 * process itself make it unready, so that an outage of a shared dependency does not take the whole fleet out of service.
 */
export class Health {
  readonly #starting = new Set<string>()
  readonly #checks: Check[] = []
  readonly #outages: Check[] = []
  readonly #parts = new Map<string, Health>()
  #draining = false

  /** The health of a part of this process; the whole is ready when every part is. */
  of(part: string): Health {
    const known = this.#parts.get(part) ?? new Health()
    this.#parts.set(part, known)
    return known
  }

  /** The process is not ready before the returned function is called. */
  requireAtStart(name: string): () => void {
    const pending = uniqueIn(this.#starting, name)
    this.#starting.add(pending)
    return () => {
      this.#starting.delete(pending)
    }
  }

  /** Makes the process not ready from now on. */
  drain(): void {
    this.#draining = true
  }

  /** Makes the process not ready while `reason` returns one, such as a backlog. Dispose the result to remove the check. */
  addCheck(name: string, reason: () => string | undefined): Disposable {
    const check = { name, reason }
    this.#checks.push(check)
    return { [Symbol.dispose]: () => void this.#checks.splice(this.#checks.indexOf(check), 1) }
  }

  /**
   * Reports an outage of a shared dependency while `reason` returns one. The process stays ready: otherwise no process
   * would be ready, and none could answer with an error. Dispose the result to remove it.
   */
  addOutage(name: string, reason: () => string | undefined): Disposable {
    const check = { name, reason }
    this.#outages.push(check)
    return { [Symbol.dispose]: () => void this.#outages.splice(this.#outages.indexOf(check), 1) }
  }

  /** The reported outages, each once. */
  outages(): string[] {
    const own = this.#outages.flatMap(({ name, reason }) => {
      const why = reason()
      return why === undefined ? [] : [`${name}: ${why}`]
    })
    return [...new Set([...own, ...[...this.#parts.values()].flatMap((part) => part.outages())])]
  }

  status(): { ready: boolean; reasons: string[] } {
    const reasons = this.#draining ? ['draining'] : []
    for (const name of this.#starting) reasons.push(`waiting for ${name}`)
    for (const { name, reason } of this.#checks) {
      const why = reason()
      if (why !== undefined) reasons.push(`${name}: ${why}`)
    }
    for (const [part, health] of this.#parts) for (const why of health.status().reasons) reasons.push(`${part}: ${why}`)
    return { ready: reasons.length === 0, reasons }
  }
}

function uniqueIn(names: Set<string>, name: string): string {
  let unique = name
  for (let n = 2; names.has(unique); n++) unique = `${name} ${n}`
  return unique
}
