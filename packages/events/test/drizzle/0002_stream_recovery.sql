CREATE TABLE "stream_recovery" (
	"id" integer PRIMARY KEY NOT NULL,
	"generation" integer DEFAULT 0 NOT NULL,
	"recovered_at" timestamp with time zone,
	"stream_created" text DEFAULT '' NOT NULL,
	"newest_seq" bigint,
	"newest_event_id" text,
	"lost_events" bigint DEFAULT 0 NOT NULL
);
