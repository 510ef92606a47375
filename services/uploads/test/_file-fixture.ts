import { assetUrl, type ServerImageSize } from '@parley/signed-urls'
import type { Service } from '@parley/runtime'
import { publicUrl, signingSecret, type Env } from './_env.ts'
import { claimRequest, sendFile, type FileOptions } from './_send-files.ts'

export type ReadOptions = {
  userId?: string
  image?: ServerImageSize
  headers?: Record<string, string>
  method?: string
}

/** Uploads files to the room Rtea and reads them from a process whose clock the test advances. */
export class FileFixture {
  readonly #env: Env
  readonly #startedAt = Date.now()
  #messages = 0
  #service: Service | undefined
  clock = 0

  constructor(env: Env) {
    this.#env = env
  }

  get url(): string {
    return this.#service?.url ?? ''
  }

  get service(): Service {
    if (!this.#service) throw new Error('the process is not started')
    return this.#service
  }

  readonly now = (): Date => new Date(this.#startedAt + this.clock)

  async start(settings?: Record<string, string>): Promise<void> {
    this.#service = await this.#env.start(settings, { now: this.now })
  }

  /** Uploads a file and claims it for a message; returns the file's id. */
  async attach(bytes: Uint8Array, contentType = 'text/plain', options: FileOptions = {}): Promise<string> {
    const { id } = await sendFile(this.#env, bytes, { contentType, ...options })
    const { userId = 'Ualice' } = options
    await this.#env.internal.claimAssets(claimRequest([id], { userId, eventId: `E${this.#messages++}` }))
    return id
  }

  unsignedUrlOf(assetId: string): string {
    return `${this.url}/assets/files/${assetId}`
  }

  signedUrlOf(assetId: string, { userId = 'Ualice', image }: ReadOptions = {}): string {
    const { url } = assetUrl(
      { publicUrl, signingSecret },
      { assetId, userId, now: this.now(), ...(image && { image }) },
    )
    return url.replace(publicUrl, this.url)
  }

  read(assetId: string, options: ReadOptions = {}): Promise<Response> {
    const { headers = {}, method = 'GET' } = options
    return fetch(this.signedUrlOf(assetId, options), { headers, method })
  }
}

export const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())
