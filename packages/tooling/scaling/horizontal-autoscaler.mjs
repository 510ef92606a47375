import { limitDown, limitUp } from './scaling-policies.mjs'

/** Behaviour of an autoscaler without `behavior`, as Kubernetes documents it. */
const defaults = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  },
  scaleDown: {
    stabilizationWindowSeconds: 300,
    selectPolicy: 'Max',
    policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
  },
}

/** Up to this relative deviation of a metric from its target, the number of pods does not change. */
const tolerance = 0.1

/**
 * The algorithm for metrics of pods with an average as target (`type: Pods`, `AverageValue`):
 * https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/.
 */
export class HorizontalAutoscaler {
  #spec
  #behavior
  #recommendations = []
  /** `by` is negative if pods were removed. */
  #changes = []

  /**
   * `targets` has the target average of each metric by name. Missing fields of `behavior` have the defaults of
   * Kubernetes.
   */
  constructor({ minReplicas, maxReplicas, targets, behavior = {} }) {
    this.#spec = { minReplicas, maxReplicas, targets }
    this.#behavior = {
      scaleUp: { ...defaults.scaleUp, ...behavior.scaleUp },
      scaleDown: { ...defaults.scaleDown, ...behavior.scaleDown },
    }
  }

  /**
   * `now` is in seconds, `current` is the present number of pods, `metrics` has the values of each metric by name,
   * one per pod: undefined for a pod that reported none. Call it once per sync period.
   */
  next(now, current, metrics) {
    const desired = this.#desired(current, metrics)
    const stable = this.#stabilized(now, current, desired)
    const allowed = this.#limited(now, current, stable)
    if (allowed !== current) this.#changes.push({ at: now, by: allowed - current })
    return { desired, pods: allowed }
  }

  /** A metric that no pod reports prevents scaling down, but not scaling up. */
  #desired(current, metrics) {
    const required = Object.entries(this.#spec.targets).map(([name, target]) =>
      desiredPods(current, metrics[name] ?? [], Number(target)),
    )
    const known = required.filter((pods) => pods !== undefined)
    const highest = known.length === 0 ? current : Math.max(...known)
    return known.length < required.length ? Math.max(current, highest) : highest
  }

  #stabilized(now, current, desired) {
    const { scaleUp, scaleDown } = this.#behavior
    const within = ({ stabilizationWindowSeconds: seconds }) =>
      this.#recommendations.filter(({ at }) => at > now - seconds).map(({ pods }) => pods)
    const lowest = Math.min(desired, ...within(scaleUp))
    const highest = Math.max(desired, ...within(scaleDown))
    const longest = Math.max(scaleUp.stabilizationWindowSeconds, scaleDown.stabilizationWindowSeconds)
    this.#recommendations = this.#recommendations.filter(({ at }) => at > now - longest)
    this.#recommendations.push({ at: now, pods: desired })
    return Math.min(Math.max(current, lowest), highest)
  }

  #limited(now, current, wanted) {
    const { minReplicas, maxReplicas } = this.#spec
    const { scaleUp, scaleDown } = this.#behavior
    if (wanted > current) {
      const limit = Math.max(current, limitUp(scaleUp, current, this.#changedSince(now)))
      return clamp(wanted, minReplicas, Math.min(limit, maxReplicas))
    }
    const limit = wanted < current ? Math.min(current, limitDown(scaleDown, current, this.#changedSince(now))) : 0
    return clamp(wanted, Math.max(limit, minReplicas), maxReplicas)
  }

  #changedSince(now) {
    return (periodSeconds) =>
      this.#changes.filter(({ at }) => at > now - periodSeconds).reduce((sum, { by }) => sum + by, 0)
  }
}

const clamp = (value, lowest, highest) => Math.min(Math.max(value, lowest), Math.max(lowest, highest))

/**
 * Returns undefined if no pod reported the metric. A pod without a value counts as the target when scaling down and as
 * 0 when scaling up, so it never makes the change larger.
 */
function desiredPods(current, values, target) {
  const known = values.filter((value) => value !== undefined)
  if (known.length === 0) return undefined
  const ratio = ratioOf(known, target)
  if (known.length === values.length) return isTolerable(ratio) ? current : roundUp(ratio * known.length)
  const all = values.map((value) => value ?? (ratio < 1 ? target : 0))
  const careful = ratioOf(all, target)
  const turned = (ratio < 1 && careful > 1) || (ratio > 1 && careful < 1)
  if (isTolerable(careful) || turned) return current
  const pods = roundUp(careful * all.length)
  return careful < 1 ? Math.min(pods, current) : Math.max(pods, current)
}

const ratioOf = (values, target) => values.reduce((sum, value) => sum + value, 0) / values.length / target
const isTolerable = (ratio) => Math.abs(ratio - 1) <= tolerance + Number.EPSILON * 4
const roundUp = (pods) => Math.ceil(Number(pods.toFixed(9)))
