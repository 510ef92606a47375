import type { DescMethod } from '@bufbuild/protobuf'
import { nuid, type Msg, type Subscription } from 'nats'
import { deployableOf, type Deployable } from '@parley/contracts/catalogue'
import type { Bus } from '../bus.ts'

type Inbox = { readonly prefix: string; readonly subscription: Subscription }

/**
 * The inboxes in which replies arrive: one per called deployable. The bus lets a deployable reply only below its own
 * name, and each knows only the inbox in which its own replies are expected, so none can reply in place of another.
 */
export class Inboxes implements Disposable {
  readonly #bus: Bus
  readonly #receive: (prefix: string, msg: Msg) => void
  readonly #inboxes = new Map<Deployable, Inbox>()
  readonly #prefixes = new Map<DescMethod, string>()

  constructor(bus: Bus, receive: (prefix: string, msg: Msg) => void) {
    this.#bus = bus
    this.#receive = receive
  }

  /** The prefix of the subjects on which replies to a method arrive. */
  prefixFor(method: DescMethod): string {
    let prefix = this.#prefixes.get(method)
    if (prefix === undefined) {
      const owner = deployableOf(method)
      const inbox = this.#inboxes.get(owner) ?? this.#open(owner)
      this.#inboxes.set(owner, inbox)
      this.#prefixes.set(method, (prefix = inbox.prefix))
    }
    return prefix
  }

  #open(owner: Deployable): Inbox {
    const prefix = `${this.#bus.inboxPrefix}.${owner}.${nuid.next()}.`
    const subscription = this.#bus.nc.subscribe(`${prefix}*`, {
      callback: (error, msg) => {
        if (!error) this.#receive(prefix, msg)
      },
    })
    return { prefix, subscription }
  }

  [Symbol.dispose](): void {
    for (const { subscription } of this.#inboxes.values()) subscription.unsubscribe()
  }
}
