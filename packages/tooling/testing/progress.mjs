import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { inWorkspace, workspace } from '../steps.mjs'

const cacheFile = inWorkspace('node_modules/.cache/parley-test/durations.json')
const everyMs = 15_000
const slowest = 10
/** Browser tests that run even without `--all`, and the seconds that they should take at most on an idle machine. */
const quickInBrowser = /\/web-[a-z-]+\.test\.ts$/
const maxInBrowser = 180

/** On a terminal the progress is one line that changes, otherwise a line from time to time. */
export class Progress {
  #terminal = process.stdout.isTTY === true
  #began = performance.now()
  #shownAt = 0
  #total = 0
  #failed = 0
  #files = []
  #durations = readDurations()

  expect(files) {
    this.#total += files
  }

  recordEnd(file, failed) {
    this.#files.push(file)
    if (failed) this.#failed++
    if (this.#terminal || performance.now() - this.#shownAt > everyMs) this.#show()
  }

  say(text) {
    if (this.#terminal) process.stdout.write('\r\x1b[K')
    console.log(text)
    if (this.#terminal && this.#files.length > 0) this.#show()
  }

  finish() {
    if (this.#terminal) process.stdout.write('\r\x1b[K')
    const sorted = [...this.#files].sort((a, b) => b.seconds - a.seconds).slice(0, slowest)
    for (const { path, seconds } of sorted) {
      console.log(`slow: ${seconds.toFixed(1).padStart(6)} s  ${relative(workspace, path)}`)
    }
    const inBrowser = this.#files.filter(({ path }) => quickInBrowser.test(path))
    if (inBrowser.length > 1) {
      const took = sum(inBrowser.map(({ seconds }) => seconds))
      console.log(`browser tests: ${took.toFixed(0)} s; they should take at most ${maxInBrowser} s`)
    }
    for (const { path, seconds } of this.#files) this.#durations[relative(workspace, path)] = seconds
    mkdirSync(dirname(cacheFile), { recursive: true })
    writeFileSync(cacheFile, JSON.stringify(this.#durations))
  }

  #show() {
    this.#shownAt = performance.now()
    const parts = [`${this.#files.length} of ${this.#total} files`, `${this.#failed} failed`, this.#left()]
    const line = parts.filter(Boolean).join(', ')
    if (this.#terminal) process.stdout.write(`\r\x1b[K${line}`)
    else console.log(line)
  }

  #left() {
    if (this.#files.length < 10) return ''
    const elapsed = performance.now() - this.#began
    return `about ${Math.max(1, Math.ceil((elapsed * (1 / this.#fraction() - 1)) / 60_000))} min left`
  }

  /**
   * The finished part of the run, from 0 to 1. Which files will run is known only if all of them run; then their
   * durations, or else their sizes, estimate better than their number.
   */
  #fraction() {
    const all = wantedFiles()
    if (this.#total < all.length) return this.#files.length / this.#total
    const known = this.#files.map(({ path }) => this.#durations[relative(workspace, path)])
    if (known.every((seconds) => seconds !== undefined)) return sum(known) / sum(Object.values(this.#durations))
    // Jest starts with the largest files, which take longest.
    const bytes = (paths) => sum(paths.map((path) => statSync(path).size))
    return Math.min(1, bytes(this.#files.map(({ path }) => path)) / bytes(all.map(inWorkspace)))
  }
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)

function wantedFiles() {
  const files = globSync('{packages,services}/*/{src,test}/**/*.test.{ts,mjs}', { cwd: workspace })
  return files.filter((file) => process.env.PARLEY_TEST_LONG || !/\.long\.test\./.test(file))
}

function readDurations() {
  try {
    return JSON.parse(readFileSync(cacheFile, 'utf8'))
  } catch {
    return {}
  }
}
