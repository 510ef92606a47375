import type { DescMethod } from '@bufbuild/protobuf'
import type { PartCollector } from './part-collector.ts'

/** The encoded message, and the headers that the handler set. */
export type Reply = {
  readonly body: Uint8Array
  readonly headers: Map<string, string> | undefined
}

export type OutgoingCall = {
  readonly method: DescMethod
  readonly body: Uint8Array
  readonly timeoutMs: number
  readonly caller?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly blob?: string | undefined
  readonly traceparent?: string | undefined
  /** Further metadata, sent unchanged. */
  readonly extra?: Headers | undefined
  readonly signal?: AbortSignal | undefined
}

/** Times are those of the client's monotonic clock. */
export type PendingCall = {
  readonly id: number
  /** Reply subject without its last token, which stands for this call and the attempt. */
  readonly inbox: string
  readonly call: OutgoingCall
  readonly resolve: (reply: Reply) => void
  readonly reject: (reason: unknown) => void
  readonly deadlineAt: number
  readonly repeatable: boolean
  /**
   * Whether the last attempt went to a deployable in this process: it freezes or dies only together with the caller.
   */
  inMemory: boolean
  /** How many times it was sent. */
  attempt: number
  /** A server has answered `not_started`. */
  refused: boolean
  /** A server has reported that it started the call. */
  started: boolean
  /** If no reply has arrived by this time, the process that got the last attempt is frozen or dead. */
  replyExpectedBy: number
  /** Parts of a large reply, with the attempt they answer. */
  parts: { readonly attempt: number; readonly collector: PartCollector } | undefined
  stopListening: (() => void) | undefined
}
