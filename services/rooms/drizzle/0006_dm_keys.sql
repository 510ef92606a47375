CREATE TABLE "dm_keys" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"key" "bytea" NOT NULL,
	CONSTRAINT "dm_keys_one" CHECK ("dm_keys"."only")
);
