CREATE TABLE "audit_counter" (
	"id" text PRIMARY KEY DEFAULT 'server' NOT NULL,
	"last_sequence" bigint NOT NULL,
	CONSTRAINT "audit_counter_single" CHECK ("audit_counter"."id" = 'server')
);
--> statement-breakpoint
CREATE TABLE "audit_counts" (
	"bucket" text NOT NULL,
	"event_type" text NOT NULL,
	"entries" bigint NOT NULL,
	CONSTRAINT "audit_counts_key" PRIMARY KEY("bucket","event_type")
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"sequence" bigint NOT NULL,
	"bucket" text NOT NULL,
	"event_id" text NOT NULL,
	"event_type" text NOT NULL,
	"aggregate_type" text NOT NULL,
	"aggregate_id" text NOT NULL,
	"kind" text NOT NULL,
	"actor_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"payload" text NOT NULL,
	CONSTRAINT "audit_entries_key" PRIMARY KEY("sequence","bucket")
) PARTITION BY LIST ("bucket");
--> statement-breakpoint
-- For buckets that have no table of their own yet, so that nothing is ever refused.
CREATE TABLE "audit_entries_other" PARTITION OF "audit_entries" DEFAULT;

