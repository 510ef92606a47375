import type { DuePush } from '../../store/due-pushes.ts'
import type { Hosts } from './hosts.ts'
import type { PushPriority } from '../../domain/push-priority.ts'
import { TurnScheduler } from './turn-scheduler.ts'

/**
 * Chooses which due pushes are sent next. Turns are divided among priorities, both within each host and over all hosts.
 */
export class Chooser {
  readonly #hosts: Hosts
  readonly #scheduler = new TurnScheduler()

  constructor(hosts: Hosts) {
    this.#hosts = hosts
  }

  /** Counts the chosen pushes as in flight. `due`: oldest first. */
  choose(due: readonly DuePush[], nowMs: number): DuePush[] {
    const chosen: DuePush[] = []
    for (let waiting = due; ;) {
      waiting = waiting.filter((push) => this.#hosts.mayBegin(push.host, nowMs))
      const offers = this.#offers(waiting)
      const next = pick(this.#scheduler, offers)
      if (!next) return chosen
      this.#hosts.begin(next.host, nowMs)
      this.#scheduler.recordTurn(next.lane, prioritiesOf(offers))
      this.#hosts
        .schedulerOf(next.host)
        .recordTurn(next.lane, prioritiesOf(waiting.filter(({ host }) => host === next.host)))
      chosen.push(next)
      waiting = waiting.filter((push) => push !== next)
    }
  }

  #offers(waiting: readonly DuePush[]): DuePush[] {
    const byHost = new Map<string, DuePush[]>()
    for (const push of waiting) {
      const group = byHost.get(push.host)
      if (group) group.push(push)
      else byHost.set(push.host, [push])
    }
    const offers = new Set([...byHost].map(([host, group]) => pick(this.#hosts.schedulerOf(host), group)))
    return waiting.filter((push) => offers.has(push))
  }
}

const prioritiesOf = (pushes: readonly DuePush[]): Set<PushPriority> => new Set(pushes.map(({ lane }) => lane))

function pick(scheduler: TurnScheduler, pushes: readonly DuePush[]): DuePush | undefined {
  const priority = scheduler.next(prioritiesOf(pushes))
  return pushes.find((push) => push.lane === priority)
}
