/** Files that may fail at first and pass alone: more of them say that something is wrong with all. */
const mostUnsteady = 3

/** Whether something of a test file failed: a test, or the file as a whole. */
export const hasFailed = ({ failed, failure }) => failed > 0 || failure !== undefined

/** The files to run once more, alone: those that failed, unless they are too many to be chance. */
export function toRunAgain(files) {
  const failed = files.filter(hasFailed)
  return failed.length > mostUnsteady ? [] : failed
}

/**
 * What came of a run: `files` as they ended first, `again` those that ran once more. A file that passed then counts as
 * passed and is `unsteady`; every file that could not run counts as one failure.
 */
export function outcomeOf(files, again) {
  const second = new Map(again.map((file) => [file.path, file]))
  const unsteady = files.filter((file) => {
    const later = second.get(file.path)
    return hasFailed(file) && later !== undefined && !hasFailed(later)
  })
  const final = files.map((file) => (unsteady.includes(file) ? second.get(file.path) : file))
  const sum = (count) => final.reduce((total, file) => total + count(file), 0)
  return {
    passed: sum((file) => file.passed),
    failed: sum((file) => (hasFailed(file) ? Math.max(1, file.failed) : 0)),
    skipped: final.flatMap((file) => file.skipped),
    unsteady,
  }
}

/** The line of a failure that says what is wrong: the first that is not the name of the test. */
export function firstError({ failure = '' }) {
  const lines = failure.replace(/\x1b\[[0-9;]*m/g, '').split('\n')
  return lines.map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('●')) ?? 'no message'
}
