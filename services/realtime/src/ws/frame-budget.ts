export const framesPerSecond = 20
export const bytesPerSecond = 256 * 1024
const burstFrames = 60
const burstBytes = 512 * 1024

export class FrameBudget {
  #frames = burstFrames
  #bytes = burstBytes
  #filledAt: number

  /** `now` is a monotonic time in milliseconds. */
  constructor(now: number) {
    this.#filledAt = now
  }

  take(bytes: number, now: number): boolean {
    const seconds = (now - this.#filledAt) / 1000
    this.#filledAt = now
    this.#frames = Math.min(burstFrames, this.#frames + seconds * framesPerSecond) - 1
    this.#bytes = Math.min(burstBytes, this.#bytes + seconds * bytesPerSecond) - bytes
    return this.#frames >= 0 && this.#bytes >= 0
  }
}
