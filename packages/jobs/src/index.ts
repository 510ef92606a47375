export { JobQueue, type Job } from './job-queue.ts'
export { JobLost, runJobs, type JobFailure, type JobRunnerOptions, type RetryPolicy } from './run-jobs.ts'
