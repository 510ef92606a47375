import type { DescMethod } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import type { MsgHdrs } from 'nats'
import { mayCall } from '@parley/contracts/catalogue'
import { methodName } from './subjects.ts'

/** A request as it arrives, from the bus or from a neighbour, and the way to reply. */
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
export class Neighbours {
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

  /** Returns the look-up of handlers for a caller. */
  of(caller: string): FindNeighbour {
    const allowed = new Map<DescMethod, boolean>()
    return (method) => {
      const receiver = this.#receivers.get(method)
      if (receiver === undefined) return undefined
      if (!allowed.has(method)) allowed.set(method, mayCall(caller, method))
      if (allowed.get(method)) return receiver
      throw new ConnectError(`${caller} may not call ${methodName(method)}`, Code.PermissionDenied)
    }
  }
}

/**
 * The deployable of this process that answers a method; undefined if there is none. Throws `permission_denied` for a
 * method that the manifest does not let the caller call, as the rights of the bus do.
 */
export type FindNeighbour = (method: DescMethod) => Receiver | undefined
