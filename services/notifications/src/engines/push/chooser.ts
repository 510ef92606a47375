import type { DuePush } from '../../store/due-pushes.ts'
import type { Hosts } from './hosts.ts'
import type { PushPriority } from '../../domain/push-priority.ts'
import { Shares } from './shares.ts'

/**
 * Chooses which of the due pushes are sent next. Priorities share the turns of each host, and those of all hosts
 * together.
 */
export class Chooser {
  readonly #hosts: Hosts
  readonly #shares = new Shares()

  constructor(hosts: Hosts) {
    this.#hosts = hosts
  }

  /** Chooses the pushes that may be sent now, given the oldest first, and marks them as in flight. */
  choose(due: readonly DuePush[], nowMs: number): DuePush[] {
    const chosen: DuePush[] = []
    for (let waiting = due; ;) {
      waiting = waiting.filter((push) => this.#hosts.mayBegin(push.host, nowMs))
      const offers = this.#offers(waiting)
      const next = pick(this.#shares, offers)
      if (!next) return chosen
      this.#hosts.begin(next.host, nowMs)
      this.#shares.took(next.lane, prioritiesOf(offers))
      this.#hosts.sharesOf(next.host).took(next.lane, prioritiesOf(waiting.filter(({ host }) => host === next.host)))
      chosen.push(next)
      waiting = waiting.filter((push) => push !== next)
    }
  }

  /** The next push of each priority and host, oldest first. */
  #offers(waiting: readonly DuePush[]): DuePush[] {
    const byHost = new Map<string, DuePush[]>()
    for (const push of waiting) {
      const those = byHost.get(push.host)
      if (those) those.push(push)
      else byHost.set(push.host, [push])
    }
    const offers = new Set([...byHost].map(([host, those]) => pick(this.#hosts.sharesOf(host), those)))
    return waiting.filter((push) => offers.has(push))
  }
}

const prioritiesOf = (pushes: readonly DuePush[]): Set<PushPriority> => new Set(pushes.map(({ lane }) => lane))

/** The oldest push of the priority whose turn it is. */
function pick(shares: Shares, pushes: readonly DuePush[]): DuePush | undefined {
  const priority = shares.next(prioritiesOf(pushes))
  return pushes.find((push) => push.lane === priority)
}
