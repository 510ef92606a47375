import type { DescMethod } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import type { MsgHdrs } from 'nats'
import { mayCall } from '@parley/contracts/catalogue'
import { methodName } from './subjects.ts'

/** A request as it arrives, over the bus or in memory, and the function that replies to it. */
export type Delivery = {
  readonly data: Uint8Array
  readonly headers?: MsgHdrs | undefined
  respond(data: Uint8Array, options?: { headers?: MsgHdrs }): void
}

/** Handles a request; it must not throw. */
export type Receiver = (delivery: Delivery) => void

/**
 * Deployables that run in one process and call each other without the bus. Requests and replies are the same bytes and
 * headers as on the bus, so deadlines, checks and errors are the same too.
 */
export class InProcessRegistry {
  readonly #receivers = new Map<DescMethod, Receiver>()

  /** Registers a handler for calls of a method in this process, until the result is disposed. */
  serve(method: DescMethod, receiver: Receiver): Disposable {
    this.#receivers.set(method, receiver)
    return {
      [Symbol.dispose]: () => {
        if (this.#receivers.get(method) === receiver) this.#receivers.delete(method)
      },
    }
  }

  /** Returns a function that looks up the handler of a method for this caller. */
  receiversFor(caller: string): FindReceiver {
    const allowed = new Map<DescMethod, boolean>()
    return (method) => {
      const receiver = this.#receivers.get(method)
      if (receiver === undefined) return undefined
      if (!allowed.has(method)) allowed.set(method, mayCall(caller, method))
      if (allowed.get(method)) return receiver
      throw new ConnectError(
        `the deployable ${caller} is not allowed to call ${methodName(method)}`,
        Code.PermissionDenied,
      )
    }
  }
}

/**
 * Finds the handler of a method in this process; undefined if there is none. Throws `permission_denied` if the manifest
 * does not allow the caller to call the method, as the bus would.
 */
export type FindReceiver = (method: DescMethod) => Receiver | undefined
