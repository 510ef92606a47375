import type { DescMethodUnary, MessageShape } from '@bufbuild/protobuf'
import type { UnaryResponse } from '@connectrpc/connect'
import { trailerPrefix } from '../envelope.ts'

/** A response that creates its Headers objects on first use: they cost more than the call. */
export class LazyResponse implements UnaryResponse {
  readonly stream = false
  readonly method: DescMethodUnary
  readonly message: MessageShape<DescMethodUnary['output']>
  readonly #received: ReadonlyMap<string, string> | undefined
  #header: Headers | undefined
  #trailer: Headers | undefined

  constructor(
    method: DescMethodUnary,
    message: MessageShape<DescMethodUnary['output']>,
    received?: Map<string, string>,
  ) {
    this.method = method
    this.message = message
    this.#received = received
  }

  get service() {
    return this.method.parent
  }

  get header(): Headers {
    this.#header ??= this.#pick((name) => (name.startsWith(trailerPrefix) ? undefined : name))
    return this.#header
  }

  get trailer(): Headers {
    this.#trailer ??= this.#pick((name) =>
      name.startsWith(trailerPrefix) ? name.slice(trailerPrefix.length) : undefined,
    )
    return this.#trailer
  }

  #pick(rename: (name: string) => string | undefined): Headers {
    const headers = new Headers()
    for (const [name, value] of this.#received ?? []) {
      const picked = rename(name)
      if (picked !== undefined) headers.append(picked, value)
    }
    return headers
  }
}
