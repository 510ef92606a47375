/** If more files fail, they probably have a common cause, so they do not run again. */
const maxUnsteady = 3

export const hasFailed = ({ failed, failure }) => failed > 0 || failure !== undefined

export function toRunAgain(files) {
  const failed = files.filter(hasFailed)
  return failed.length > maxUnsteady ? [] : failed
}

/**
 * `files` are the results of the first run, `again` those of the files that ran once more. A file that passed the
 * second time counts as passed and is `unsteady`; a file that could not run counts as one failure.
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

export function firstError({ failure = '' }) {
  const lines = failure.replace(/\x1b\[[0-9;]*m/g, '').split('\n')
  return lines.map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('●')) ?? 'no message'
}
