CREATE TABLE public.hapax_done (
    key text PRIMARY KEY,
    fingerprint text NOT NULL,
    receipt json,
    done_at timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION public.hapax_done_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.done_at < now() - interval '90 days' THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'hapax_done keeps its rows for 90 days';
END $$;

CREATE TRIGGER hapax_done_keep BEFORE DELETE ON public.hapax_done
    FOR EACH ROW EXECUTE FUNCTION public.hapax_done_keep();
CREATE TRIGGER hapax_done_keep_all BEFORE TRUNCATE ON public.hapax_done
    FOR EACH STATEMENT EXECUTE FUNCTION public.hapax_done_keep();
