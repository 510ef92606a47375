type Backlog = { name: string; check: () => string | undefined }

/**
 * Whether this process should receive work. Dependencies count only at start. Later only draining and the process's own
 * backlog make it unready, so that an outage of a shared dependency does not take the whole fleet out of service.
 */
export class Health {
  readonly #starting = new Set<string>()
  readonly #backlogs: Backlog[] = []
  readonly #parts = new Map<string, Health>()
  #draining = false

  /** The health of a part of this process; the whole is ready when every part is. */
  of(part: string): Health {
    const known = this.#parts.get(part) ?? new Health()
    this.#parts.set(part, known)
    return known
  }

  /** Adds a condition for the first work; call the result once it is met. */
  startup(name: string): () => void {
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

  /** Makes the process not ready while `check` returns a reason. Dispose the result to remove the check. */
  backlog(name: string, check: () => string | undefined): Disposable {
    const backlog = { name, check }
    this.#backlogs.push(backlog)
    return { [Symbol.dispose]: () => void this.#backlogs.splice(this.#backlogs.indexOf(backlog), 1) }
  }

  /** The current state, with the reasons for not being ready. */
  status(): { ready: boolean; reasons: string[] } {
    const reasons = this.#draining ? ['draining'] : []
    for (const name of this.#starting) reasons.push(`waiting for ${name}`)
    for (const { name, check } of this.#backlogs) {
      const reason = check()
      if (reason !== undefined) reasons.push(`${name}: ${reason}`)
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
