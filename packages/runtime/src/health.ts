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

  /** Adds a condition without which the process does not become ready; call the result once it is met. */
  requireAtStart(name: string): () => void {
    const pending = uniqueIn(this.#starting, name)
    this.#starting.add(pending)
    return () => {
      this.#starting.delete(pending)
    }
  }

  /** Makes the process not ready permanently, because it finishes its running work and ends. */
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
   * Reports an outage of a shared dependency while `reason` returns one. It does not make the process unready: every
   * process would be at once, and nothing could even answer that it is unavailable. Dispose the result to remove it.
   */
  addOutage(name: string, reason: () => string | undefined): Disposable {
    const check = { name, reason }
    this.#outages.push(check)
    return { [Symbol.dispose]: () => void this.#outages.splice(this.#outages.indexOf(check), 1) }
  }

  /** The current outages of shared dependencies, without repetition. */
  outages(): string[] {
    const own = this.#outages.flatMap(({ name, reason }) => {
      const why = reason()
      return why === undefined ? [] : [`${name}: ${why}`]
    })
    return [...new Set([...own, ...[...this.#parts.values()].flatMap((part) => part.outages())])]
  }

  /** The current state, with the reasons for not being ready. */
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
