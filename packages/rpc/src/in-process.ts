import type { DescMethod } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import type { MsgHdrs } from 'nats'
import { mayCall } from '@parley/contracts/catalogue'
import { methodName } from './subjects.ts'

export type Delivery = {
  readonly data: Uint8Array
  readonly headers?: MsgHdrs | undefined
  respond(data: Uint8Array, options?: { headers?: MsgHdrs }): void
}

/** Must not throw. */
export type Receiver = (delivery: Delivery) => void

/**
 * Deployables that run in one process and call each other without the bus. Requests and replies are the same bytes and
 * headers as on the bus, so deadlines, checks and errors are the same too.
 */
export class InProcessRegistry {
  readonly #receivers = new Map<DescMethod, Receiver>()

  /** Passes calls of the method to the receiver until the result is disposed. */
  serve(method: DescMethod, receiver: Receiver): Disposable {
    this.#receivers.set(method, receiver)
    return {
      [Symbol.dispose]: () => {
        if (this.#receivers.get(method) === receiver) this.#receivers.delete(method)
      },
    }
  }

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
 * Undefined if this process has no handler. Throws `permission_denied` if the manifest does not allow the caller to
 * call the method, as the bus would.
 */
export type FindReceiver = (method: DescMethod) => Receiver | undefined
