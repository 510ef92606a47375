CREATE TABLE "link_preview_tokens" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"preview" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "message_attachments" (
	"room_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"position" smallint NOT NULL,
	"asset_id" text NOT NULL,
	"filename" text NOT NULL,
	"content_type" text NOT NULL,
	"size" bigint NOT NULL,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	CONSTRAINT "message_attachments_room_id_seq_position_pk" PRIMARY KEY("room_id","seq","position")
);
--> statement-breakpoint
CREATE TABLE "reactions" (
	"room_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"emoji" text NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reactions_room_id_seq_emoji_user_id_pk" PRIMARY KEY("room_id","seq","emoji","user_id")
);
--> statement-breakpoint
CREATE TABLE "readers" (
	"user_id" text PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "thread_markers" (
	"room_id" text NOT NULL,
	"root_event_id" text NOT NULL,
	"user_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "thread_markers_room_id_root_event_id_user_id_pk" PRIMARY KEY("room_id","root_event_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "unresolved_mentions" (
	"room_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "unresolved_mentions_room_id_seq_pk" PRIMARY KEY("room_id","seq")
);
--> statement-breakpoint
ALTER TABLE "threads" ALTER COLUMN "last_reply_at" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "room_events" ADD COLUMN "link_preview" "bytea";--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "last_reply_seq" bigint;--> statement-breakpoint
CREATE INDEX "link_preview_tokens_expiry" ON "link_preview_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "link_preview_tokens_user" ON "link_preview_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "message_attachments_asset" ON "message_attachments" USING btree ("asset_id");--> statement-breakpoint
CREATE INDEX "reactions_user" ON "reactions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "thread_markers_user" ON "thread_markers" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "unresolved_mentions_age" ON "unresolved_mentions" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "room_events_thread" ON "room_events" USING btree ("room_id","thread_root_event_id","seq") WHERE "room_events"."thread_root_event_id" is not null;